# SPDX-License-Identifier: MIT
#
# Debian packages, in groups: what is needed for what, what is missing, and its installation.

# packages GROUP: the group's packages, one or more a line.
packages() {
   case $1 in
   unit)
      echo gcc ccache libc6-dev python3 ninja-build pkgconf
      echo libcmocka-dev libgmp-dev libmpfr-dev libjansson-dev libpng-dev libzstd-dev libzydis-dev
      echo python3-jinja2 python3-jsonschema # of the report's test
      echo python3-pyflakes # finds undefined names in Python
      packages sweep
      private_tools_needed || echo meson
      ;;
   build)
      echo gcc g++ libc6-dev patch xz-utils pkgconf ninja-build flex bison glslang-tools
      echo python3 python3-mako python3-packaging python3-ply python3-yaml
      echo libdrm-dev libelf-dev libexpat1-dev libjansson-dev libpng-dev libzstd-dev libzydis-dev zlib1g-dev
      echo libx11-dev libx11-xcb-dev libxext-dev libxfixes-dev libxrandr-dev libxshmfence-dev libxxf86vm-dev
      echo libxcb-dri2-0-dev libxcb-dri3-dev libxcb-glx0-dev libxcb-keysyms1-dev libxcb-present-dev
      echo libxcb-randr0-dev libxcb-shm0-dev libxcb-sync-dev libxcb-xfixes0-dev
      echo libwayland-dev libwayland-egl-backend-dev
      echo llvm-19-dev # the JIT
      private_tools_needed || echo meson wayland-protocols
      ;;
   display) echo xvfb x11-utils ;;
   frontdoor) echo python3 ;;
   report) echo python3 python3-jinja2 ;;
   sweep) echo parallel python3-matplotlib ;; # runs many machines; draws
   hosts) echo gcc clang ;; # counters are the same there, and on arm64
   arm64) echo gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user ;; # its libraries: fetch_arm64 (download.sh)
   fuzz) echo clang libclang-rt-dev llvm ;; # libFuzzer, the sanitizers, and names in what they report
   coverage) echo lcov ;; # draws what gcov, of GCC, counted
   cluster) echo slurm-wlm munge ;; # on which sweeps run, too: one of one node, in a test
   reduce) echo libegl-dev libgles-dev ;; # of the programs in C that it writes and tries
   browser) echo chromium-headless-shell ;; # looks at reports
   sandbox) echo chromium ;; # in a window: its process for the GPU has a sandbox there alone
   firefox) echo firefox-esr ;; # shows pages of WebGL, as does Chromium
   web) command -v npm >/dev/null || echo npm ;; # fetches libraries of web pages; any npm will do
   editor) echo emacs-nox elpa-dap-mode python3-debugpy python3-jsonschema ;; # clients of the debugger
   tour) echo glmark2-es2-x11 ;;
   programs)
      echo mesa-utils glmark2-es2-x11 glmark2-es2-wayland weston apitrace python3-pil libsdl2-tests xserver-xephyr
      echo lcov # sums and shows coverage
      echo python3-jsonschema # validates what tools print
      echo libegl-dev libgles-dev # apitrace opens libEGL.so and libGLESv2.so, which are links of these
      ;;
   piglit) echo piglit waffle-utils ;;
   hacks) echo xscreensaver-gl xscreensaver-gl-extra ;;
   games)
      echo armagetronad chromium-bsu foobillardplus gl-117 gltron gource neverball neverputt supertux
      echo gtk-4-examples kitty lugaru minetest minetest-data mpv openarena pymol stellarium teeworlds titanion
      echo torus-trooper trigger-rally xmoto
      echo qmlscene-qt6 qml6-module-qtquick qml6-module-qtqml-workerscript # programs of Qt Quick
      echo xdotool # presses their keys
      ;;
   visual) echo python3-vtk9 python3-moderngl ;;
   applications) # of suite opengl33: modellers, terminals, a player, a robots' viewer, a GPU for guests
      echo blender freecad meshlab openscad
      echo alacritty kitty kodi python3-rosmaster rviz virgl-server
      ;;
   peers) echo libclang-19-dev ;;
   package) echo build-essential debhelper dh-python lintian libglvnd-dev chrpath ;;
   tarball) echo chrpath binutils ;;
   debian) echo debootstrap ;; # fresh systems, to install packages in
   bench) echo mesa-utils piglit ;;
   esac
}

# package_of PROGRAM: the package of a program people like to try; nothing if we don't know it.
package_of() {
   case $1 in
   glmark2-es2) echo glmark2-es2-x11 ;;
   glmark2) echo glmark2-x11 ;;
   glmark2-es2-wayland) echo glmark2-es2-wayland ;;
   eglinfo | es2_info | es2gears_x11 | es2gears_wayland | es2tri | glxinfo | glxgears | glxheads) echo mesa-utils ;;
   apitrace | glretrace | eglretrace) echo apitrace ;;
   wflinfo) echo waffle-utils ;;
   piglit) echo piglit ;;
   weston) echo weston ;;
   esac
}

# distribution KEY: a value of /etc/os-release.
distribution() {
   (. /etc/os-release && eval "echo \"\${$1:-}\"") 2>/dev/null || :
}

# Debian 12's meson and wayland-protocols are too old for Mesa: newer ones go to a private folder (download.sh).
private_tools_needed() {
   [ "$(distribution ID) $(distribution VERSION_ID)" = "debian 12" ]
}

# missing PACKAGE...: those of the packages that are not installed.
missing() {
   { dpkg-query -W -f '${Package} ${db:Status-Status}\n' "$@" 2>/dev/null || :; } | awk -v wanted="$*" '
      $2 == "installed" { installed[$1] = 1 }
      END {
         n = split(wanted, name, " ")
         for (i = 1; i <= n; i++)
            if (!(name[i] in installed))
               print name[i]
      }'
}

# as_root COMMAND...: runs a command as root, through sudo if need be.
as_root() {
   if [ "$(id -u)" = 0 ]; then
      "$@"
   else
      sudo "$@"
   fi
}

# need GROUP...: installs what the groups still miss.
need() {
   local names lacking
   command -v dpkg-query >/dev/null && command -v apt-get >/dev/null ||
      die "this is not a Debian system: its packages cannot be installed from here." \
         "The set-up is made for Debian 12 and 13. Elsewhere, install what Mesa $mesa_version needs to be built" \
         "(see packages() in tools/setup/packages.sh) and use Meson: meson setup build && ninja -C build."

   names=$(for group; do packages "$group"; done | tr ' ' '\n' | sort -u)
   lacking=$(missing $names)
   [ -n "$lacking" ] || return 0
   install_packages $lacking
}

# install_packages PACKAGE...
install_packages() {
   if [ "$(id -u)" != 0 ]; then
      command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [ -t 0 ]; } ||
         die "Debian packages are missing ($#), and only root may install them." \
            "Have root run the following line, then repeat:" "apt-get install --no-install-recommends $*"
   fi

   say "installing $# Debian packages: $(echo "$*" | cut -c 1-60)..."
   has_package_lists || logged apt-update as_root apt-get update ||
      die "apt-get update failed." "Is there a network, and do apt's sources name a reachable mirror?"
   set -- $(in_archive "$@")
   [ $# -gt 0 ] || return 0
   logged apt-install apt_install "$@" && return
   say "that failed; fetching new package lists, then trying once more"
   # An installation that was killed may leave packages unpacked but not configured: apt refuses all others until then.
   logged dpkg-configure as_root env DEBIAN_FRONTEND=noninteractive dpkg --configure -a || :
   logged apt-update as_root apt-get update || :
   logged apt-install apt_install "$@" ||
      die "apt-get could not install: $*" \
         "If the network or the mirror is down, repeat when it is back. If a package is unknown, apt's sources" \
         "lack Debian's 'main' of this release."
}

# in_archive PACKAGE...: all but those of group games that this release does not have: the bench leaves their programs
# out.
in_archive() {
   local games known name
   games=" $(packages games | tr '\n' ' ') "
   known=" $(apt-cache show "$@" 2>/dev/null | sed -n 's/^Package: //p' | tr '\n' ' ') "
   for name; do
      case $games in *" $name "*)
         case $known in *" $name "*) ;; *) continue ;; esac ;;
      esac
      echo "$name"
   done
}

apt_install() {
   as_root env DEBIAN_FRONTEND=noninteractive \
      apt-get -q -y -o DPkg::Lock::Timeout=300 install --no-install-recommends "$@"
}

has_package_lists() {
   ls /var/lib/apt/lists/ 2>/dev/null | grep -q '_Packages'
}
