# SPDX-License-Identifier: MIT
#
# What is fetched: Mesa's source, on Debian 12 a newer meson and wayland-protocols, and libraries of web pages through
# npm. All else through apt with a private
# configuration, from the mirror that the machine's own apt sources name; nothing of the system changes.

wrap=$root/subprojects/mesa.wrap
mesa_archive=$(sed -n 's/^source_filename *= *//p' "$wrap")
mesa_sha256=$(sed -n 's/^source_hash *= *//p' "$wrap")
mesa_url=$(sed -n 's/^source_url *= *//p' "$wrap")
mesa_version=${mesa_archive#mesa-}
mesa_version=${mesa_version%.tar.*}
mesa_cache=$root/subprojects/packagecache/$mesa_archive

private_tools=$work/tools
if private_tools_needed; then
   meson=$work/bin/meson
else
   meson=meson
fi

# apt_mirror: the address from which this machine takes its Debian release.
apt_mirror() {
   apt-get indextargets 'Created-By: Packages' --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 2>/dev/null |
      awk -v codename="$(distribution VERSION_CODENAME)" '
         $3 == "main" && ($2 == codename || $2 == "stable" || $2 == "oldstable") { print $1; exit }'
}

# apt_private NAME SOURCES [CONFIGURATION]: updates private package lists from the lines SOURCES, each "deb|deb-src
# SUITE"; the configuration is added to that of apt. Sets apt_dir; "apt-get -c $apt_dir/apt.conf" then uses them.
apt_private() {
   local mirror keyring signed
   mirror=$(apt_mirror)
   [ -n "$mirror" ] || { say "apt's sources name no mirror for Debian's 'main' of this release"; return 1; }
   keyring=/usr/share/keyrings/debian-archive-keyring.gpg
   signed=
   [ -e "$keyring" ] && signed="[signed-by=$keyring] "
   apt_dir=$work/apt/$1
   mkdir -p "$apt_dir/lists/partial" "$apt_dir/cache/archives/partial"
   echo "$2" | sed "s#^\\([^ ]*\\) \\(.*\\)#\\1 $signed$mirror \\2 main#" >"$apt_dir/sources.list"
   cat >"$apt_dir/apt.conf" <<EOF
Dir::Etc::SourceList "$apt_dir/sources.list";
Dir::Etc::SourceParts "/dev/null";
Dir::State::Lists "$apt_dir/lists";
Dir::Cache "$apt_dir/cache";
APT::Sandbox::User "";
APT::Update::Error-Mode "any";
Debug::NoLocking "true";
${3:-}
EOF
   logged "apt-$1-update" apt-get -q -c "$apt_dir/apt.conf" update
}

# fetch_mesa: Mesa's archive into subprojects/packagecache/, where Meson looks first.
fetch_mesa() {
   local have
   if [ -e "$mesa_cache" ]; then
      check_mesa && return
      mv -f "$mesa_cache" "$mesa_cache.wrong"
      say "$mesa_cache has the wrong SHA-256; it is now called $mesa_archive.wrong; fetching it anew"
   fi
   mkdir -p "$(dirname "$mesa_cache")"
   say "fetching Mesa $mesa_version (46 MB)"
   fetch_mesa_from_debian || { say "not from Debian's mirror; trying $mesa_url"; fetch_mesa_from_upstream; } ||
      die "Mesa $mesa_version could not be fetched." \
         "Repeat with a network, or put the file $mesa_archive" \
         "(SHA-256 $mesa_sha256) into subprojects/packagecache/ by hand."
   check_mesa && return
   have=$(sha256sum <"$mesa_cache" | cut -c 1-64)
   mv -f "$mesa_cache" "$mesa_cache.wrong"
   die "the fetched $mesa_archive has the wrong SHA-256: $have," "expected $mesa_sha256." \
      "It is kept as subprojects/packagecache/$mesa_archive.wrong and not used. A repeated call fetches it anew;" \
      "if that gives the same, the mirror or a proxy on the way changes files."
}

check_mesa() {
   echo "$mesa_sha256  $mesa_cache" | sha256sum --check --status
}

# The source package 'mesa' of Debian 13 is this very archive.
fetch_mesa_from_debian() {
   apt_private mesa "deb-src trixie" || return
   (
      cd "$apt_dir"
      rm -f mesa_*
      logged apt-mesa apt-get -q -c "$apt_dir/apt.conf" source --download-only --tar-only mesa/trixie || exit
      mv -f "mesa_$mesa_version.orig.tar.xz" "$mesa_cache"
   )
}

# With what a minimal system may have: the python3 of the build.
fetch_mesa_from_upstream() {
   logged download /usr/bin/python3 -c '
import shutil, sys, urllib.request
with urllib.request.urlopen(sys.argv[1], timeout=60) as r, open(sys.argv[2], "wb") as f:
    shutil.copyfileobj(r, f)' "$mesa_url" "$mesa_cache.part" && mv -f "$mesa_cache.part" "$mesa_cache"
}

# fetch_private_tools: on Debian 12, meson and wayland-protocols of its backports, unpacked into .clipfree/tools.
fetch_private_tools() {
   local suite
   private_tools_needed && [ ! -x "$meson" ] || return 0
   say "fetching a newer meson and wayland-protocols into .clipfree/tools"
   suite=$(distribution VERSION_CODENAME)-backports
   apt_private tools "deb $suite" && unpack_private_tools "$suite" ||
      die "meson and wayland-protocols could not be fetched from $suite." \
         "Mesa needs newer ones than Debian 12 has. Repeat with a network and a mirror that carries $suite."
}

unpack_private_tools() {
   rm -rf "$private_tools"
   mkdir -p "$private_tools" "$work/bin"
   (
      cd "$apt_dir"
      rm -f ./*.deb
      logged apt-tools apt-get -q -c "$apt_dir/apt.conf" download "meson/$1" "wayland-protocols/$1" || exit
      for deb in ./*.deb; do
         dpkg-deb -x "$deb" "$private_tools" || exit
      done
   ) || return
   # Meson puts the name by which it was called into the build files: this launcher needs no environment.
   cat >"$meson.part" <<EOF
#!/usr/bin/python3
import os, sys
tools = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(__file__))), 'tools')
sys.path.insert(0, tools + '/usr/lib/python3/dist-packages')
os.environ.setdefault('PKG_CONFIG_PATH', tools + '/usr/share/pkgconfig')
from mesonbuild import mesonmain
sys.exit(mesonmain.main())
EOF
   sed -i "s#^prefix=.*#prefix=$private_tools/usr#" "$private_tools/usr/share/pkgconfig/wayland-protocols.pc"
   chmod +x "$meson.part"
   mv -f "$meson.part" "$meson"
}

# fetch_arm64: libraries for programs of arm64, LLVM's among them, and all that they need, into .clipfree/arm64.
arm64=$work/arm64
fetch_arm64() {
   [ ! -e "$arm64/.fetched" ] || return 0
   say "fetching libraries for arm64 (60 MB)"
   apt_private arm64 "deb $(distribution VERSION_CODENAME)" 'APT::Architecture "arm64";' && unpack_arm64 ||
      die "libraries for arm64 could not be fetched." "Repeat with a network and a mirror that carries arm64."
}

# But the C library's headers and links, of which the cross compiler has its own.
unpack_arm64() {
   rm -rf "$arm64"
   mkdir -p "$arm64"
   (
      cd "$apt_dir"
      : >status # nothing is installed: all that is needed is fetched
      logged apt-arm64 apt-get -q -y -c "$apt_dir/apt.conf" -o Dir::State::status="$apt_dir/status" install \
         --download-only --no-install-recommends libllvm19 libcmocka-dev libgmp-dev libmpfr-dev libjansson-dev \
         libpng-dev libzstd-dev || exit
      for deb in cache/archives/*.deb; do
         case ${deb##*/} in
         libc6-dev_* | libcrypt-dev_* | linux-libc-dev_*) ;;
         *) dpkg-deb -x "$deb" "$arm64" || exit ;;
         esac
      done
      rm -f cache/archives/*.deb
      [ -e "$arm64/lib" ] || ln -s usr/lib "$arm64/lib" # Debian 13
   ) && touch "$arm64/.fetched"
}

# fetch_web_libraries: three.js and babylon.js for the pages of suite webgl.
fetch_web_libraries() {
   fetch_from_npm webgl tests/webgl "three.js and babylon.js" "136 MB on disk" "suite webgl"
}

# fetch_editor_client: VS Code's client of debug adapters, for suite tools.
fetch_editor_client() {
   fetch_from_npm editor tests/tools/editor "VS Code's client of debug adapters" "300 kB on disk" "suite tools"
}

# fetch_from_npm NAME FOLDER WHAT SIZE USER: WHAT, into NAME of the build folder: the versions and checksums of
# FOLDER/package-lock.json. Without npm, or where it fails, USER goes without.
fetch_from_npm() {
   local lock=$root/$2/package-lock.json folder=$build/$1
   ! cmp -s "$lock" "$folder/.fetched" || return 0
   if ! command -v npm >/dev/null; then
      say "no npm: $5 goes without $3"
      return 0
   fi
   say "fetching $3 ($4)"
   rm -rf "$folder"
   mkdir -p "$folder"
   cp "$lock" "$root/$2/package.json" "$folder/"
   if logged npm npm ci --prefix "$folder" --ignore-scripts --no-audit --no-fund; then
      cp "$lock" "$folder/.fetched"
   else
      rm -rf "$folder/node_modules"
      say "npm could not fetch $3: $5 goes without ($log_dir/npm.log)"
   fi
}
