# SPDX-License-Identifier: MIT
#
# From sources to build/: everything that is missing, in order. Each step looks for its own result, so the set-up can
# be interrupted and repeated, and costs next to nothing when there is nothing to do.

build=$root/build
version=$(sed -n "s/^  version : '\(.*\)',$/\1/p" "$root/meson.build")
# Mesa without assertions, as distributions build it: what a program does wrong is GL's error, not its end. The
# sanitizers' builds and the unit tests' have them. OSMesa also where build/ is older than it (meson.build). Without
# names of folders: what is packed of it is the same wherever the tree lies (docs/install.md).
configure_options="-Dmesa:b_ndebug=true -Dmesa:osmesa=true -Dreproducible=true"
unit_options="-Dmesa=disabled -Dreproducible=true"
mesa_tree=$root/subprojects/mesa-$mesa_version

# set_up GROUP...: the packages of the groups, and the built driver in build/.
set_up() {
   lock
   check_machine
   need build "$@"
   fetch_private_tools
   prepare_mesa_tree
   [ -e "$build/build.ninja" ] || check_disk
   configure "$build" $configure_options && compile "$build"
   unlock
}

# set_up_unit DIR [OPTIONS...]: what the unit tests need, built in DIR: no Mesa, no display.
set_up_unit() {
   local dir
   lock
   check_machine
   need unit
   fetch_private_tools
   dir=$root/$1
   shift
   configure "$dir" $unit_options "$@" && compile "$dir"
   unlock
}

# llvm_versions: those of Debian's packages that the compiler takes.
llvm_versions() {
   lock
   need unit
   unlock
   apt-cache pkgnames llvm- | sed -n 's/^llvm-\([0-9]*\)-dev$/\1/p' | awk '$1 >= 15' | sort -n
}

# set_up_llvm VERSION: the unit tests with that LLVM, in build-llvm-VERSION.
set_up_llvm() {
   local chosen=$work/llvm-$1.ini
   lock
   [ -z "$(missing "llvm-$1-dev")" ] || install_packages "llvm-$1-dev"
   # By the first name that src/clipfree/jit/meson.build looks for.
   printf "[binaries]\nllvm-config-19 = '/usr/bin/llvm-config-$1'\n" >"$chosen"
   unlock
   set_up_unit "build-llvm-$1" --native-file "$chosen"
}

# set_up_arm64: the unit tests for arm64, with LLVM, in build-arm64; qemu runs them. LLVM's headers are those of the
# machine that builds: of its version for arm64 the library alone is needed.
set_up_arm64() {
   prepare_arm64
   lock
   check_machine
   need unit build
   fetch_private_tools
   configure "$root/build-arm64" $unit_options --cross-file "$work/arm64.ini" && compile "$root/build-arm64"
   unlock
}

# prepare_arm64: what builds and runs programs for arm64.
prepare_arm64() {
   lock
   need arm64
   fetch_arm64
   describe_arm64
   unlock
}

# describe_arm64: Meson's cross file, and what it calls in place of llvm-config.
describe_arm64() {
   local folder=$arm64/usr/lib/aarch64-linux-gnu headers=$arm64/usr/include
   cat >"$work/arm64-llvm-config" <<EOF
#!/bin/sh
case "\$*" in
*--ldflags*) echo "-L$folder -lLLVM-19" ;;
*) exec llvm-config-19 "\$@" ;;
esac
EOF
   chmod +x "$work/arm64-llvm-config"
   cat >"$work/arm64.ini" <<EOF
[binaries]
c = 'aarch64-linux-gnu-gcc'
ar = 'aarch64-linux-gnu-ar'
strip = 'aarch64-linux-gnu-strip'
pkg-config = 'pkg-config'
llvm-config-19 = '$work/arm64-llvm-config'
exe_wrapper = ['qemu-aarch64', '-L', '$arm64']
[properties]
pkg_config_libdir = '$folder/pkgconfig'
sys_root = '$arm64'
[built-in options]
c_args = ['-isystem', '$headers', '-isystem', '$headers/aarch64-linux-gnu']
c_link_args = ['-L$folder', '-Wl,-rpath-link=$folder:$arm64/lib/aarch64-linux-gnu']
[host_machine]
system = 'linux'
cpu_family = 'aarch64'
cpu = 'aarch64'
endian = 'little'
EOF
}

# set_up_fuzz: the fuzz targets, in a build folder of their own.
set_up_fuzz() {
   lock
   check_machine
   need unit fuzz
   fetch_private_tools
   configure "$build_fuzz" --native-file "$root/tests/fuzz/clang.ini" -Dmesa=disabled -Dfuzz=true -Doptimization=1 \
      -Db_sanitize=address,undefined -Db_lundef=false && compile "$build_fuzz" fuzz
   unlock
}
build_fuzz=$root/build-fuzz

# set_up_fuzz_driver: those on the driver with edges and sanitizers; of Mesa only what they need.
set_up_fuzz_driver() {
   lock
   check_machine
   need build fuzz
   fetch_private_tools
   prepare_mesa_tree
   [ -e "$build_fuzz_driver/build.ninja" ] || check_disk
   configure "$build_fuzz_driver" --native-file "$root/tests/fuzz/clang.ini" -Dfuzz=true -Doptimization=1 \
      -Djit=disabled -Dsanitize_driver=true -Db_sanitize=address -Db_lundef=false -Dmesa:b_ndebug=true &&
      compile "$build_fuzz_driver" fuzz
   unlock
}
build_fuzz_driver=$root/build-fuzz-driver

check_machine() {
   local arch
   arch=$(dpkg --print-architecture 2>/dev/null || uname -m)
   case $arch in
   amd64 | arm64 | ppc64el | riscv64 | loong64 | x86_64 | aarch64 | ppc64le | loongarch64) ;;
   *)
      die "the CPU architecture '$arch' is not supported." \
         "clipfree needs a 64-bit little-endian system: amd64 (any; SSE2 is enough), arm64, ppc64el, riscv64."
      ;;
   esac
}

check_disk() {
   local free_MB
   free_MB=$(df -Pm "$root" | awk 'NR == 2 { print $4 }')
   [ "$free_MB" -ge 2500 ] ||
      die "not enough disk: $free_MB MB are free in $root, Mesa's sources and build need 2500 MB." \
         "Make room, or clone clipfree to a larger disk."
}

# The Mesa tree: made by Meson from the archive; made anew when the wrap or the hooks have changed or when making it
# was interrupted (its mark is written last).
prepare_mesa_tree() {
   local hooks mark
   hooks=$(cat "$wrap" "$root"/subprojects/packagefiles/* | sha256sum | cut -c 1-64)
   mark=$mesa_tree/.clipfree-hooks
   [ "$(cat "$mark" 2>/dev/null)" != "$hooks" ] || return 0
   fetch_mesa
   check_disk
   remember_patched
   rm -rf "$mesa_tree"
   (cd "$root" && logged mesa-unpack "$meson" subprojects download mesa &&
      cd "$mesa_tree" && xargs -r -d '\n' touch -c <"$patched_list") ||
      die "Mesa's archive could not be unpacked and patched."
   echo "$hooks" >"$mark"
   [ ! -e "$build/build.ninja" ] || reconfigure=yes
}

# remember_patched: adds the files that the patches change to the list of all that were ever changed in this tree. A
# file that a patch leaves alone again is as old as in the archive, older than what was built from it: only touched it
# is built anew.
patched_list=$work/mesa-patched
remember_patched() {
   {
      cat "$patched_list" 2>/dev/null || :
      sed -n 's|^+++ [^/]*/\([^\t]*\).*|\1|p' "$root"/subprojects/packagefiles/*.patch
   } | sort -u >"$patched_list.part"
   mv -f "$patched_list.part" "$patched_list"
}

# configure DIR [OPTIONS...]: also anew, when the options are others or packages that it lacked then have been
# installed: what Meson did not find the build goes without (LLVM: no JIT; cmocka: no tests of the compiler), and would
# not look for again.
configure() {
   local dir wanted mark stale
   dir=$1
   shift
   wanted="$* lacking: $(missing $(packages build) $(packages unit))"
   mark=$dir/.clipfree-configured
   [ "$(cat "$mark" 2>/dev/null)" = "$wanted" ] && stale=${reconfigure:-} || stale=yes
   if [ ! -e "$dir/build.ninja" ]; then
      rm -rf "$dir"
      say "configuring $(basename "$dir")/"
      logged "configure-$(basename "$dir")" \
         with_cache "$meson" setup --native-file "$root/tools/setup/native.ini" "$@" "$dir" "$root" ||
         die "Meson could not configure $dir."
   elif [ -n "$stale" ]; then
      logged "configure-$(basename "$dir")" with_cache "$meson" setup --reconfigure --clearcache "$@" "$dir" "$root" ||
         die "Meson could not configure $dir." "If it was configured by hand: remove it and repeat."
   fi
   echo "$wanted" >"$mark"
}

# with_cache COMMAND...: runs Meson, ninja or what runs these, with a cache of objects in this tree. Meson uses ccache
# where it is installed, as it is with the unit tests. Two build folders share an object that has the same sources and
# options: debug information calls every build folder `build` (-Dreproducible), so that the folder does not count
# (NOHASHDIR, IGNOREOPTIONS). DEPEND: headers are known from the dependency file that the compiler writes, so that a
# miss costs no run of the preprocessor.
with_cache() {
   env CCACHE_DIR="$work/ccache" CCACHE_DEPEND=1 CCACHE_NOHASHDIR=1 CCACHE_IGNOREOPTIONS='-ffile-prefix-map=*' "$@"
}

# compile DIR [TARGET]: says so only when there is something to do; a terminal sees ninja's progress. Ninja counts some
# two dozen steps even then: Mesa writes its version header at every build, and only afterwards shows that it has not
# changed.
compile() {
   local steps
   steps=$(ninja -n -C "$@" 2>/dev/null | grep -c '^\[' || :)
   if [ "$steps" -gt 40 ]; then
      say "building: $steps steps on $(nproc) cores$(
         [ "$steps" -lt 500 ] || echo '; the first time this takes minutes')"
      if [ -t 2 ]; then
         with_cache nice ninja -C "$@" >&2 || die "the build failed; the reason stands above."
         return
      fi
   fi
   logged "build-$(basename "$1")" with_cache nice ninja -C "$@" || die "the build failed."
}
