# SPDX-License-Identifier: MIT
#
# Programs on clipfree, and the tour.

# use_clipfree: the environment that makes any program take its EGL, GLES and GL from build/. Without
# LIBGL_ALWAYS_SOFTWARE Mesa would first look for a driver of the machine's own GPU, which this build does not have.
use_clipfree() {
   export LD_LIBRARY_PATH="$build/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
   export GBM_BACKENDS_PATH="$build/lib/gbm"
   export LIBGL_ALWAYS_SOFTWARE=1
}

# find_program NAME: ends ./clipfree if there is no such program; package: what has to be installed for it.
find_program() {
   package=
   if ! which "$1" >/dev/null 2>&1; then # command -v would find the functions of this script, too
      package=$(package_of "$1")
      [ -n "$package" ] || die "there is no program '$1'." \
         "Give its path, or install its package; with ./clipfree run alone you get a tour."
   fi
}

# run [PROGRAM ARGS...]: becomes the program; without one, the tour.
run() {
   local package
   [ $# -gt 0 ] || { tour; return; }
   case $1 in
   */*) ;; # may be one that the set-up builds
   *) find_program "$1" ;;
   esac
   set_up display
   find_program "$1"
   [ -z "$package" ] || [ -z "$(missing "$package")" ] || (lock; install_packages "$package")
   case $(readlink -f "$(which "$1")") in
   "$root"/tests/*) use_private_display ;; # as for ./clipfree test
   *) need_display ;;
   esac
   use_clipfree
   drop_scratch
   exec "$@"
}

# use_tool TOOL ARGS...: becomes a tool that looks into captures or programs, once it is built.
use_tool() {
   local tool
   case $* in
   *\ -h* | *\ --help*) set_up ;;
   clipfree-reduce\ *--c[\ =]*) set_up reduce ;; # it compiles what it writes
   *) set_up ;;
   esac
   tool=$build/tools/$1
   shift
   drop_scratch
   exec "$tool" "$@"
}

# use_script NAME GROUPS ARGS...: a tool that is a script, on the build; GROUPS: those of packages that it needs beside.
# The report runs a program through ./clipfree run.
use_script() {
   local script=$root/tools/$1/$1
   set_up $2
   shift 2
   drop_scratch
   export CLIPFREE_BUILD="$build"
   exec "$script" "$@"
}

tour_scenes="build:use-vbo=true texture:texture-filter=mipmap shading:shading=phong bump:bump-render=normals
   effect2d:kernel=1,1,1;1,1,1;1,1,1; shadow refract terrain jellyfish desktop"

pictures=$root/tour

# tour: each scene for two seconds, its FPS on stdout, and a picture of it in tour/.
tour() {
   local failed scene
   set_up display tour
   use_private_display
   use_clipfree
   mkdir -p "$pictures"
   rm -f "$pictures"/*.png
   echo "clipfree tour: glmark2-es2, 800x600 in a window, two seconds each"
   failed=0
   for scene in $tour_scenes; do
      tour_stop "${scene%%:*}" "$scene" || failed=$((failed + 1))
   done
   echo "pictures: $pictures/"
   [ $failed = 0 ] || die "$failed of the scenes did not run." "Their messages: $log_dir/tour-*.log"
}

# tour_stop NAME SCENE: runs one scene for its FPS, and a few frames of it for its picture.
tour_stop() {
   local options log fps picture
   options=$2:duration=2
   log=$log_dir/tour-$1.log
   timeout 60 glmark2-es2 -s 800x600 -b "$options" >"$log" 2>&1 || :
   fps=$(sed -n 's/.*FPS: *\([0-9]*\).*/\1/p' "$log" | head -n 1)
   tour_picture "$1" "$options"
   picture=$([ -e "$pictures/$1.png" ] && echo "tour/$1.png" || echo "no picture")
   printf '  %-12s %6s FPS   %s\n' "$1" "${fps:-none}" "$picture"
   [ -n "$fps" ]
}

# tour_picture NAME SCENE: the 30th frame, as the driver presented it.
tour_picture() {
   local dump last
   dump=$scratch/frames
   mkdir "$dump"
   CLIPFREE_FRAMES=30 CLIPFREE_FRAME_DUMP=$dump/ timeout 60 glmark2-es2 -s 800x600 -b "$2" >/dev/null 2>&1 || :
   last=$(ls "$dump" | grep '\.png$' | sort | tail -n 1)
   [ -z "$last" ] || mv "$dump/$last" "$pictures/$1.png"
   rm -rf "$dump"
}

# bench [OPTIONS...]: tools/bench/bench on a build that has the peers beside clipfree; which takes long, so the options
# are looked at first, and say which packages the parts need.
bench() {
   local option groups
   [ -x /usr/bin/python3 ] || { lock; need frontdoor; unlock; }
   for option; do
      case $option in -h | --help) exec "$root/tools/bench/bench" --help ;; esac
   done
   groups=$("$root/tools/bench/bench" --check "$@") || exit
   build=$root/build-peers
   configure_options="$configure_options -Dpeers=true"
   set_up display tour bench peers $groups
   case " $groups " in *" web "*) fetch_web_libraries ;; esac
   use_private_display
   use_clipfree
   drop_scratch
   export CLIPFREE_BUILD="$build"
   exec "$root/tools/bench/bench" "$@"
}

# fuzz [TARGET...] [OPTIONS...]: broken inputs, on builds made for that, or on the driver; the options are looked at
# first.
fuzz() {
   local builds
   [ -x /usr/bin/python3 ] || { lock; need frontdoor; unlock; }
   case " $* " in *' -h '* | *' --help '*) exec "$root/tests/fuzz/run" "$@" ;; esac
   builds=$("$root/tests/fuzz/run" --check "$@") || exit
   case $builds in *mesa*) set_up ;; esac
   case $builds in *gpu*) set_up_fuzz ;; esac
   case $builds in *edges*) set_up_fuzz_driver ;; esac
   drop_scratch
   export CLIPFREE_BUILD="$build_fuzz"
   exec "$root/tests/fuzz/run" "$@"
}
