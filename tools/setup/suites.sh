# SPDX-License-Identifier: MIT
#
# ./clipfree test: the test suites and their counts.

# 'unit', 'unit-interp', 'fuzz' and 'compiler' are Meson's; the others are scripts, tests/NAME/run, whose last line of
# output is "suite NAME: N passed, M failed, K skipped".
default_suites="frontdoor unit unit-interp fuzz compiler programs-sample rules papers pictures golden tools slow"
default_suites="$default_suites trust opengl33-sample piglit-subset"
other_suites="programs programs-peers rules-long papers-long golden-long tools-long slow-long trust-long hacks"
other_suites="$other_suites hacks-peers piglit piglit-settings piglit-sanitize findings piglit-findings sanitize"
other_suites="$other_suites threads-sanitize coverage webgl webgl-sample opengl33 package llvm fuzz-long arm64"
all_suites="$default_suites $other_suites"
newline='
'

# run_suites [SUITE...]: without a name those before the bar, with the random inputs that are the commit's.
run_suites() {
   local suite name output passed failed skipped summary failures begin_s
   if [ $# = 0 ]; then
      set -- $default_suites
      seed_of_commit
   fi
   for suite; do
      case " $all_suites " in
      *" $suite "*) ;;
      *) die "unknown suite '$suite'." "Known: $all_suites." ;;
      esac
   done

   need_scratch
   output=$scratch/output
   passed=0 failed=0 skipped=0 summary= failures=
   for suite; do
      name=${suite%-*} # piglit-subset is one of piglit, unit-interp of unit
      begin_s=$(date +%s)
      attempt "$name" "$output" "suite_$(echo "$suite" | tr - _)" "$output"
      count "$output" $(($(date +%s) - begin_s))
   done
   printf '%s' "$failures$summary"
   echo "all suites: $passed passed, $failed failed, $skipped skipped"
   [ $failed = 0 ] && [ $passed -gt 0 ]
}

# seed_of_commit: random tests have the same inputs whenever a commit is tested, and others for another commit.
seed_of_commit() {
   local commit
   if [ -z "${CLIPFREE_TEST_SEED:-}" ] && commit=$(git -C "$root" rev-parse --short=7 HEAD 2>/dev/null); then
      export CLIPFREE_TEST_SEED="0x$(echo "$commit" | cut -c 1-7)"
      say "random inputs are those of the commit: CLIPFREE_TEST_SEED=$CLIPFREE_TEST_SEED"
   fi
}

# attempt SUITE OUTPUT COMMAND...: runs a suite in a subshell, so that one that cannot even be set up is a failure, and
# others go on. No '||' after the subshell: it would switch -e off inside.
attempt() {
   local name output
   name=$1 output=$2
   shift 2
   : >"$output"
   set +e
   (set -e; "$@")
   conclude "$name" "$output" $?
   set -e
}

# conclude SUITE OUTPUT STATUS: where the last line is not the suite's counts, or they have no failure and yet nothing
# ran or the exit status is not 0, adds a line of counts with one failure, and why.
conclude() {
   local line why
   line=$(tail -n 1 "$2" | grep "^suite $1: [0-9]* passed, [0-9]* failed, [0-9]* skipped$" || :)
   case $line in
   '')
      line="suite $1: 0 passed, 0 failed, 0 skipped"
      why="it broke off without counts"
      ;;
   *": 0 passed, 0 failed,"*) why="it ran no case" ;;
   *" passed, 0 failed,"*)
      [ "$3" != 0 ] || return 0
      why="its exit status is $3"
      ;;
   *) return 0 ;;
   esac
   echo "$(echo "$line" | sed 's/, 0 failed,/, 1 failed,/') ($why)" >>"$2"
}

# count OUTPUT SECONDS: adds the suite's counts, the output's last line, to the sums, and to the summary with its time;
# and the lines of cases that failed to those that are shown again at the end.
count() {
   local line lines
   lines=$(lines_of_failures "$1")
   [ -z "$lines" ] || failures="$failures$lines$newline"
   line=$(tail -n 1 "$1")
   summary="$summary$line, $2 s
"
   set -- $(echo "$line" | sed 's/[^:]*: \([0-9]*\) passed, \([0-9]*\) failed, \([0-9]*\) skipped.*/\1 \2 \3/')
   passed=$((passed + $1)) failed=$((failed + $2)) skipped=$((skipped + $3))
}

# lines_of_failures OUTPUT: what scripts, fuzz targets and Meson say of cases that failed; the first twenty.
lines_of_failures() {
   grep -E '^(FAIL|FINDING) |^ *[0-9]+/[0-9]+ .* (FAIL|TIMEOUT|ERROR|UNEXPECTEDPASS) ' "$1" | head -n 20
}

# shown OUTPUT COMMAND...: runs a command; what it says is shown and kept, its status is the command's.
shown() {
   local output
   output=$1
   shift
   {
      "$@" 2>&1 && echo 0 >"$output.status" || echo $? >"$output.status"
   } | tee "$output"
   set -- "$(cat "$output.status")"
   rm -f "$output.status"
   return "$1"
}

# suite_frontdoor OUTPUT: this very script, with nothing installed or built.
suite_frontdoor() {
   lock
   need frontdoor display
   unlock
   shown "$1" "$root/tests/frontdoor/run"
}

suite_unit() {
   set_up_unit build-unit
   suite_meson "$1" unit build-unit
}

# The same of a build without the compiler, as it is where there is no LLVM.
suite_unit_interp() {
   set_up_unit build-unit-interp -Djit=disabled
   suite_meson "$1" unit build-unit-interp
}

# Long: the compiler's tests with each version of LLVM that this Debian has: what each makes is proven, and has the bits
# of the interpreter.
suite_llvm() {
   local version status=0
   : >"$1"
   for version in $(llvm_versions); do
      echo "LLVM $version:"
      set_up_llvm "$version"
      suite_meson "$1.$version" unit "build-llvm-$version" 'clipfree:jit-*' || status=$?
      cat "$1.$version" >>"$1"
   done
   sums=$(grep '^suite unit: ' "$1" | sum_counts llvm)
   echo "$sums" | tee -a "$1"
   return $status
}

# Long: the compiler's tests in a build for arm64, which qemu runs: there, too, its code has the interpreter's bits.
suite_arm64() {
   local status=0
   set_up_arm64
   suite_meson "$1" unit build-arm64 --timeout-multiplier 30 $(compiler_tests_in_c build-arm64) || status=$?
   sums=$(grep '^suite unit: ' "$1" | sum_counts arm64)
   echo "$sums" | tee -a "$1"
   return $status
}

# compiler_tests_in_c DIR: those that are programs of the build; those in Python need no emulator, nor arm64.
compiler_tests_in_c() {
   "$meson" introspect --tests "$root/$1" | python3 -c '
import json, sys
for test in json.load(sys.stdin):
    if test["name"].startswith("jit-") and "python" not in test["cmd"][0]:
        print(test["name"])'
}

# Broken command buffers for a while; then each fuzz target on its first inputs and for seconds: those on the driver,
# and where clang is installed the others.
suite_fuzz() {
   local status=0
   set_up_unit build-unit
   suite_meson "$1.gpu" fuzz build-unit || status=$?
   set_up
   suite_meson "$1.mesa" fuzz-targets build || status=$?
   if [ -z "$(missing $(packages fuzz))" ]; then
      set_up_fuzz
      suite_meson "$1.targets" fuzz-targets build-fuzz || status=$?
   else
      echo "SKIP the fuzz targets: these Debian packages are not installed: $(missing $(packages fuzz) | tr '\n' ' ')"
      echo "suite fuzz: 0 passed, 0 failed, 1 skipped" >"$1.targets"
   fi
   cat "$1.gpu" "$1.mesa" "$1.targets" >"$1"
   grep -h '^suite ' "$1.gpu" "$1.mesa" "$1.targets" | sum_counts fuzz >>"$1"
   return $status
}

# Each target for so many minutes, those on the driver in a Mesa of its own with edges and sanitizers.
fuzz_long_minutes=10
suite_fuzz_long() {
   set_up
   set_up_fuzz
   set_up_fuzz_driver
   shown "$1" env CLIPFREE_BUILD="$build_fuzz" "$root/tests/fuzz/run" --edges --minutes $fuzz_long_minutes --suite
}

# sum_counts SUITE: the counts of several lines of counts, as one.
sum_counts() {
   awk -v suite="$1" '
      { passed += $3; failed += $5; skipped += $7 }
      END { printf "suite %s: %d passed, %d failed, %d skipped\n", suite, passed, failed, skipped }'
}

# The compiler's own tests, which need Mesa's NIR: they are built with the driver.
suite_compiler() {
   set_up unit
   suite_meson "$1" compiler build
}

# suite_meson OUTPUT NAME DIR [OPTIONS...]: a suite of the GPU's own tests, which are built in DIR; counts Meson's test
# programs.
suite_meson() {
   local output=$1 name=$2 dir=$3 status=0 sums
   shift 3
   "$meson" test -C "$root/$dir" --no-rebuild --suite "$name" --print-errorlogs "$@" >"$output" 2>&1 || status=$?
   grep -v '^$' "$output" || :
   sums=$(awk -v suite="$name" '
      /^Ok: /              { passed += $2 }
      /^Expected Fail: /   { passed += $3 }
      /^Fail: |^Timeout: / { failed += $2 }
      /^Unexpected Pass: / { failed += $3 }
      /^Skipped: /         { skipped += $2 }
      END { printf "suite %s: %d passed, %d failed, %d skipped\n", suite, passed, failed, skipped }' "$output")
   echo "$sums" >>"$output"
   return $status
}

suite_programs() {
   suite_script "$1" "programs" programs
}

# All but most of the applications, each of which is recorded and drawn several times.
suite_programs_sample() {
   suite_script "$1" "programs" programs --sample
}

suite_rules() {
   suite_script "$1" "programs" rules
}

# Those of OpenGL ES 3.0 in twenty times as many states, and those of which suite rules compiles a part, whole.
suite_rules_long() {
   local status=0
   suite_script "$1.es3" "programs" rules es3 --times 20 || status=$?
   suite_script "$1.samples" "programs" rules 'tex-(border|filter|sampler)|gl33-outputs' --times 2 || status=$?
   cat "$1.es3" "$1.samples" >"$1"
   grep -h '^suite ' "$1.es3" "$1.samples" | sum_counts rules-long >>"$1"
   return $status
}

suite_papers() {
   suite_script "$1" "programs" papers
}

# What is measured of the papers is what docs/papers.md says.
suite_papers_long() {
   suite_script "$1" "programs hacks sweep" papers --long
}

suite_pictures() {
   suite_script "$1" "programs" pictures
}

# Frames have the hashes of a list, each in one way to run.
suite_golden() {
   suite_script "$1" "programs" golden
}

# In all ways, and by builds of other compilers and for another processor.
suite_golden_long() {
   prepare_arm64
   suite_script "$1" "programs hosts" golden --long
}

# Faults that clipfree why must name, and reports.
suite_tools() {
   set_up display programs editor
   fetch_editor_client
   suite_script "$1" "programs hacks report browser editor sweep cluster" tools
}

# 10 000 of them.
suite_tools_long() {
   prepare_arm64
   set_up display programs editor
   fetch_editor_client
   suite_script "$1" "programs hacks report browser editor sweep cluster hosts" tools --long
}

suite_slow() {
   suite_script "$1" "programs" slow
}

# All scenes and hacks.
suite_slow_long() {
   suite_script "$1" "programs hacks" slow --long
}

# What programs that nobody trusts can do, and what hosts refuse.
suite_trust() {
   suite_script "$1" "programs" trust
}

# A thousand kills; a million draws; tests of guards that are taken out.
suite_trust_long() {
   suite_script "$1" "programs" trust --long
}

suite_piglit() {
   suite_script "$1" "programs piglit" piglit
}

# Every XScreenSaver hack; the first run records them all and takes half an hour.
suite_hacks() {
   suite_script "$1" "programs hacks" hacks
}

# The same in the build that the bench uses: Mesa itself has LLVM there, as distributions build it.
suite_programs_peers() {
   suite_peers "$1" programs programs
}

suite_hacks_peers() {
   suite_peers "$1" "programs hacks" hacks
}

# Pages of WebGL in Chromium and Firefox.
suite_webgl() {
   set_up display programs browser sandbox firefox web
   fetch_web_libraries
   suite_script "$1" "programs browser sandbox firefox web" webgl
}

# Long: the packages and the tarball, in a fresh Debian 12 and 13.
suite_package() {
   (package_for_debian) >"$1"
   (package_tarball) >"$1"
   lock
   need debian
   unlock
   suite_script "$1" '' package
}

# A few of them; where there is no npm and no network, those without a library.
suite_webgl_sample() {
   set_up display programs browser firefox
   fetch_web_libraries
   suite_script "$1" "programs browser firefox" webgl --sample
}

# Programs that want OpenGL 3.3. pvbatch runs where it is: its package cannot stand beside VTK's.
suite_opengl33() {
   suite_script "$1" "programs visual applications" opengl33
}

# The scripts of VTK and moderngl.
suite_opengl33_sample() {
   suite_script "$1" "programs visual" opengl33 --sample
}

# suite_peers OUTPUT GROUPS NAME
suite_peers() {
   local build configure_options="$configure_options -Dpeers=true"
   build=$root/build-peers
   suite_script "$1" "$2 peers" "$3"
}

# A sample of piglit, of a few minutes.
suite_piglit_subset() {
   suite_script "$1" "programs piglit" piglit --subset
}

# Long: all of it with each engine, host level and several numbers of threads.
suite_piglit_settings() {
   suite_script "$1" "programs piglit" piglit --settings
}

# Long: all of it on a driver with sanitizers. Mesa is without them, so that building it is quick; all memory is looked
# after, also what Mesa allocates, but only what the driver and the GPU do with it.
suite_piglit_sanitize() {
   local build configure_options flags
   flags=-fsanitize=address,undefined
   build=$root/build-sanitize-driver
   configure_options="-Dsanitize_driver=true -Db_lundef=false -Dc_link_args=$flags -Dcpp_link_args=$flags"
   suite_script "$1" "programs piglit" piglit --sanitize
}

# Long: glmark2 and the hacks under the sanitiser for GL, which finds what it should, and nothing else; then all of
# piglit.
suite_findings() {
   suite_script "$1" "programs hacks" findings
}

suite_piglit_findings() {
   suite_script "$1" "programs piglit" piglit --findings
}

# Long: a Mesa and a GPU of its own, built with sanitizers.
suite_sanitize() {
   local build configure_options
   build=$root/build-sanitize configure_options="-Db_sanitize=address -Db_lundef=false"
   set_up_unit build-sanitize-unit -Db_sanitize=address,undefined -Db_lundef=false
   suite_script "$1" "programs piglit" sanitize
}

# Long: the unit tests of what several threads do, under ThreadSanitizer, which slows them down ten times.
suite_threads_sanitize() {
   set_up_unit build-sanitize-threads -Db_sanitize=thread -Db_lundef=false
   suite_meson "$1" threads build-sanitize-threads --timeout-multiplier 20
}

# Long: lines and branches of src/clipfree that tests run, in two builds that count: the GPU alone, and with Mesa, which
# itself does not count.
suite_coverage() {
   local build configure_options="$configure_options -Dcoverage=true -Db_ndebug=true"
   export CCACHE_DISABLE=1 # where an object leaves its counts depends on the build folder
   set_up_unit build-coverage -Dcoverage=true -Db_ndebug=true
   build=$root/build-coverage-driver
   configure_options="$configure_options -Dc_link_args=--coverage -Dcpp_link_args=--coverage"
   suite_script "$1" "programs coverage" coverage
}

# one_at_a_time NAME: waits while another ./clipfree writes to build/test-results/NAME; from then on others wait for the
# end of this shell, or subshell, whose descriptor 8 holds the lock.
one_at_a_time() {
   mkdir -p "$build/test-results"
   exec 8>>"$build/test-results/$1.lock"
   flock -n 8 || { say "another run of the suite $1 is at work in this tree; waiting for it"; flock 8; }
}

# suite_script OUTPUT GROUPS NAME [OPTIONS...]: runs tests/NAME/run on clipfree, in a subshell of its own.
suite_script() (
   output=$1 groups=$2 name=$3
   shift 3
   set_up display $groups
   use_private_display
   use_clipfree
   one_at_a_time "$name"
   export CLIPFREE_BUILD="$build"
   # On virtual machines new pages take a third of the time of many tests. Huge pages are fewer; suite trust looks at
   # memory and system calls as they are without.
   [ "$name" = trust ] || export GLIBC_TUNABLES="${GLIBC_TUNABLES:-glibc.malloc.hugetlb=1}"
   shown "$output" with_cache "$root/tests/$name/run" "$@" 8>&- # some build: with the tree's cache, not the user's
)

# verify_like_the_paper [--again]: the four suites that paper A verified its GPU with, as its table has them: tests and
# how many passed. About an hour; a run that was interrupted goes on with the part that it was at.
verify_like_the_paper() {
   local passed failed skipped summary results table
   passed=0 failed=0 skipped=0 summary= table= results=$build/test-results/suite
   case "$*" in
   '' | --again) ;;
   *) die "suite does not know '$*'." "Known: --again, which forgets the parts that are done." ;;
   esac
   need_scratch
   set_up display programs piglit hacks # before there are results: it may make build/ anew
   one_at_a_time suite
   [ -z "$*" ] || rm -rf "$results"
   mkdir -p "$results"
   verify glmark2 "programs ^glmark2" "pictures ^(?!rule|es2gears|glxgears)"
   verify Piglit "piglit"
   verify mesa-demos "programs ^(es2_info|eglinfo|glxinfo|es2tri|es2gears|glxgears|glxdemo|glxheads)" \
      "pictures ^(es2gears|glxgears)"
   verify XScreenSaver "hacks"
   cat "$results"/*.txt | grep '^FAIL\|^suite .*)$' || :
   printf '%-14s %8s %8s %8s\n' suite tests passed skipped
   printf '%s' "$table"
   printf '%-14s %8d %8d %8d\n' all $((passed + failed)) $passed $skipped
   echo "each test, and why it is skipped: $results/"
   [ $failed = 0 ] && [ $passed -gt 0 ]
}

# verify NAME "SUITE [PATTERN]"...: runs suites, or parts of them, and adds a line to the table.
verify() {
   local name run suite output had_passed had_failed had_skipped
   name=$1 had_passed=$passed had_failed=$failed had_skipped=$skipped
   shift
   for run; do
      suite=${run%% *}
      output=$results/$name-$suite.txt
      if is_verified "$suite" "$output"; then
         say "$name, $suite: done already ('./clipfree suite --again' repeats it)"
      else
         attempt "$suite" "$output.part" suite_script "$output.part" "programs $(group_of "$suite")" "$suite" \
            $([ "$run" = "$suite" ] || echo "${run#* }")
         mv "$output.part" "$output"
      fi
      count "$output" 0
   done
   table="$table$(printf '%-14s %8d %8d %8d' "$name" $((passed - had_passed + failed - had_failed)) \
      $((passed - had_passed)) $((skipped - had_skipped)))
"
}

# is_verified SUITE OUTPUT: it ran to its end, with the libraries, programs and tests as they are.
is_verified() {
   [ -s "$2" ] && tail -n 1 "$2" | grep -q "^suite $1: [0-9]* passed.* skipped$" &&
      [ -z "$(find -L "$build/lib" "$build/tests" "$root/tests" -type f ! -name '*.pyc' -newer "$2" 2>/dev/null)" ]
}

# group_of SUITE: the packages that it needs beyond those of all.
group_of() {
   case $1 in
   piglit | hacks) echo "$1" ;;
   esac
}
