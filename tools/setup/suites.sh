# SPDX-License-Identifier: MIT
#
# ./clipfree test: the test suites and their counts.

# 'unit' and 'fuzz' are Meson's; the others are scripts, tests/NAME/run, whose last line of output is
# "suite NAME: N passed, M failed, K skipped".
all_suites="frontdoor unit fuzz programs rules papers pictures hacks piglit piglit-subset piglit-sanitize sanitize threads-sanitize"
default_suites="frontdoor unit fuzz programs rules papers pictures piglit-subset"

# run_suites [SUITE...]
run_suites() {
   local suite output passed failed skipped summary
   [ $# -gt 0 ] || set -- $default_suites
   for suite; do
      case " $all_suites " in
      *" $suite "*) ;;
      *) die "unknown suite '$suite'." "Known: $all_suites." ;;
      esac
   done

   passed=0 failed=0 skipped=0 summary=
   for suite; do
      output=$(mktemp)
      "suite_$(echo "$suite" | tr - _)" "$output"
      count "${suite%-*}" "$output" # piglit-subset is one of piglit
      rm -f "$output"
   done
   printf '%s' "$summary"
   echo "all suites: $passed passed, $failed failed, $skipped skipped"
   [ $failed = 0 ] && [ $passed -gt 0 ]
}

# count SUITE OUTPUT: adds the suite's last line to the sums; a suite that gave no counts has failed once.
count() {
   local line
   line=$(tail -n 1 "$2" | grep "^suite $1: [0-9]* passed, [0-9]* failed, [0-9]* skipped" ||
      echo "suite $1: 0 passed, 1 failed, 0 skipped (it broke off without counts)")
   summary="$summary$line
"
   set -- $(echo "$line" | sed 's/[^:]*: \([0-9]*\) passed, \([0-9]*\) failed, \([0-9]*\) skipped.*/\1 \2 \3/')
   passed=$((passed + $1)) failed=$((failed + $2)) skipped=$((skipped + $3))
}

# suite_frontdoor OUTPUT: this very script, with nothing installed or built.
suite_frontdoor() {
   lock
   need frontdoor display
   unlock
   "$root/tests/frontdoor/run" 2>&1 | tee "$1"
}

suite_unit() {
   set_up_unit build-unit
   suite_meson "$1" unit build-unit
}

# A minute of broken command buffers.
suite_fuzz() {
   set_up_unit build-unit
   suite_meson "$1" fuzz build-unit
}

# suite_meson OUTPUT NAME DIR [OPTIONS...]: a suite of the GPU's own tests, which are built in DIR; counts Meson's test programs.
suite_meson() {
   local output=$1 name=$2 dir=$3
   shift 3
   "$meson" test -C "$root/$dir" --no-rebuild --suite "$name" --print-errorlogs "$@" >"$output" 2>&1 || :
   grep -v '^$' "$output" || :
   awk -v suite="$name" '
      /^Ok: /              { passed += $2 }
      /^Expected Fail: /   { passed += $3 }
      /^Fail: |^Timeout: / { failed += $2 }
      /^Unexpected Pass: / { failed += $3 }
      /^Skipped: /         { skipped += $2 }
      END { printf "suite %s: %d passed, %d failed, %d skipped\n", suite, passed, failed, skipped }' "$output" >"$output.sum"
   cat "$output.sum" >>"$output"
   rm -f "$output.sum"
}

suite_programs() {
   suite_script "$1" "programs" programs
}

suite_rules() {
   suite_script "$1" "programs" rules
}

suite_papers() {
   suite_script "$1" "programs" papers
}

suite_pictures() {
   suite_script "$1" "programs" pictures
}

suite_piglit() {
   suite_script "$1" "programs piglit" piglit
}

# Every XScreenSaver hack; the first run records them all and takes half an hour.
suite_hacks() {
   suite_script "$1" "programs hacks" hacks
}

# A sample of piglit, of a few minutes.
suite_piglit_subset() {
   suite_script "$1" "programs piglit" piglit --subset
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

# suite_script OUTPUT GROUPS NAME [OPTIONS...]: runs tests/NAME/run on clipfree.
suite_script() {
   local output groups script
   output=$1 groups=$2 script=$root/tests/$3/run
   shift 3
   set_up display $groups
   need_display
   (
      use_clipfree
      export CLIPFREE_BUILD="$build"
      "$script" "$@" 2>&1 || :
   ) | tee "$output"
}

# verify_like_the_paper [--again]: the four suites that paper A verified its GPU with, as its table has them: tests and how many
# passed. About an hour; a run that was interrupted goes on with the part that it was at.
verify_like_the_paper() {
   local passed failed skipped summary results table
   passed=0 failed=0 skipped=0 summary= table= results=$build/test-results/suite
   case ${1:-} in
   '') ;;
   --again) rm -rf "$results" ;;
   *) die "suite does not know '$1'." "Known: --again, which forgets the parts that are done." ;;
   esac
   set_up display programs piglit hacks # before there are results: it may make build/ anew
   mkdir -p "$results"
   verify glmark2 "programs ^glmark2" "pictures"
   verify Piglit "piglit"
   verify mesa-demos "programs ^(es2_info|eglinfo|glxinfo|es2tri|es2gears|glxgears|glxdemo|glxheads)"
   verify XScreenSaver "hacks"
   cat "$results"/*.txt | grep '^FAIL' || :
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
         suite_script "$output.part" "programs $(group_of "$suite")" "$suite" $([ "$run" = "$suite" ] || echo "${run#* }")
         mv "$output.part" "$output"
      fi
      tail -n 1 "$output" | grep -q "^suite $suite: " || echo "FAIL $name: $suite broke off without counts" >>"$output"
      count "$suite" "$output"
   done
   table="$table$(printf '%-14s %8d %8d %8d' "$name" $((passed - had_passed + failed - had_failed)) \
      $((passed - had_passed)) $((skipped - had_skipped)))
"
}

# is_verified SUITE OUTPUT: it ran to its end, on this build.
is_verified() {
   [ -s "$2" ] && [ -z "$(find -L "$build/lib" -name 'libgallium*' -newer "$2")" ] &&
      tail -n 1 "$2" | grep -q "^suite $1: [0-9]* passed"
}

# group_of SUITE: the packages that it needs beyond those of all.
group_of() {
   case $1 in
   piglit | hacks) echo "$1" ;;
   esac
}
