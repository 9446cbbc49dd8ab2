# SPDX-License-Identifier: MIT
#
# ./clipfree package: what is built, to be installed elsewhere: Debian packages, or a tarball that can lie anywhere
# (docs/install.md). Both hold the same tree, as it lies below /usr or the tarball's folder:
#    PRIVATE/lib, PRIVATE/tools   what a build folder has; PRIVATE: lib/TRIPLET/clipfree, in the tarball lib/clipfree
#    share/clipfree               this script and the tools that are scripts
#    bin, share/man, share/bash-completion, share/doc/clipfree

# Where installed libraries look for others of ours: beside themselves, and from where links to them are (stage_vendor).
library_folders='$ORIGIN:$ORIGIN/clipfree/lib'

package() {
   case "$*" in
   '') package_for_debian ;;
   --tarball) package_tarball ;;
   *) die "'package' does not take '$*'." "Without a word it makes Debian packages, with --tarball an archive." ;;
   esac
}

# package_for_debian: on a Mesa that is a vendor of glvnd, in a build folder of its own.
package_for_debian() {
   local debs private rpath
   build=$root/build-package
   rpath=-Wl,-rpath,$library_folders
   configure_options="$configure_options -Dmesa:glvnd=enabled -Dmesa:glvnd-vendor-name=clipfree"
   configure_options="$configure_options -Dc_link_args=$rpath -Dcpp_link_args=$rpath"
   set_up package
   debs=$build/debs
   private=lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)/clipfree
   rm -rf "$debs"
   stage "$debs/stage/usr" "$private" /usr/share/glvnd/egl_vendor.d
   stage_vendor "$debs/stage/usr" "$private"
   stage_zydis "$debs/stage/usr/$private/lib"
   mkdir "$debs/clipfree"
   cp -R "$root/packaging/debian" "$debs/clipfree/debian"
   debian_changelog >"$debs/clipfree/debian/changelog"
   say "making packages"
   (cd "$debs/clipfree" && export DEB_BUILD_OPTIONS=noautodbgsym && # debug information stays in the build folder
      logged package dpkg-buildpackage --build=binary --no-sign) || die "the packages failed."
   check_packages "$debs"
   say "to install them: apt-get install $(quoted "$debs")/*.deb"
}

# check_packages FOLDER: lintian has nothing to say of them.
check_packages() {
   say "looking at them with lintian"
   logged lintian lintian --allow-root --fail-on error,warning --tag-display-limit 0 "$1"/*.changes ||
      die "lintian finds mistakes in the packages."
   ls "$1"/*.deb
}

# version_date: that of the newest version; files in packages are not younger, whenever they are made.
version_date() {
   local date
   date=$(sed -n "s/^## $version (\(.*\))$/\1/p" "$root/CHANGELOG.md")
   [ -n "$date" ] || die "CHANGELOG.md has no section '## $version (DATE)'." "meson.build has the version."
   echo "$date"
}

# debian_changelog: Debian's, from CHANGELOG.md: the newest version with its lines.
debian_changelog() {
   local date
   date=$(version_date)
   echo "clipfree ($version) unstable; urgency=medium"
   echo
   awk -v version="$version" '
      /^## / { inside = $2 == version; next }
      inside && /^- / { printf "%s%s", begun, substr($0, 3); begun = "\n"; next }
      inside && NF { sub(/^ */, " "); printf "%s", $0 }
      END { print "" }' "$root/CHANGELOG.md" |
      while read -r entry; do
         echo "$entry" | fold -s -w 74 | sed '1s/^/  * /; 2,$s/^/    /; s/ *$//'
      done
   echo
   echo " -- $(sed -n 's/^Maintainer: //p' "$root/packaging/debian/control")  $(date -u -R -d "$date")"
}

# package_tarball: of the usual build, whose libraries stand in for the system's; with those of others that a minimal
# system lacks.
package_tarball() {
   local name image date
   set_up tarball
   date=$(version_date)
   name=clipfree-$version-linux-$(uname -m)
   image=$build/$name
   rm -rf "$image" "$image.tar.gz"
   stage "$image" lib/clipfree ''
   find "$image/lib" -type f -exec strip --strip-unneeded {} + || die "strip failed; its reason stands above."
   stage_bundled "$image/lib/clipfree"
   say "packing $name.tar.gz"
   tar -C "$build" -c --sort=name --owner=0 --group=0 --numeric-owner --mode=go=rX --mtime="$date UTC" "$name" |
      gzip -n >"$image.tar.gz.part" ||
      die "the archive could not be written." "Is there room in $build?"
   mv -f "$image.tar.gz.part" "$image.tar.gz"
   rm -rf "$image"
   echo "$image.tar.gz"
}

# stage IMAGE PRIVATE VENDORS: what is installed, into the folder IMAGE; VENDORS: where glvnd finds the file of
# stage_vendor, or nothing.
stage() {
   say "collecting what is installed"
   mkdir -p "$1/bin"
   stage_libraries "$1/$2/lib"
   stage_tools "$1/$2/tools"
   stage_scripts "$1/share/clipfree" "../../$2" "$3"
   ln -s ../share/clipfree/clipfree "$1/bin/clipfree"
   stage_documents "$1/share"
}

# stage_libraries FOLDER: those of build/lib, but for the names that only compilers look for.
stage_libraries() {
   local lib
   mkdir -p "$1/gbm"
   for lib in "$build"/lib/lib*.so.[0-9] "$build"/lib/libgallium-*.so "$build"/lib/libclipfree_jit.so; do
      [ ! -e "$lib" ] || install -m 644 "$(readlink -f "$lib")" "$1/$(basename "$lib")"
   done
   for lib in "$1"/*; do
      [ -d "$lib" ] || set_rpath "$lib" "$library_folders"
   done
   if [ -e "$build/lib/gbm/dri_gbm.so" ]; then
      install -m 644 "$build/lib/gbm/dri_gbm.so" "$1/gbm/"
      set_rpath "$1/gbm/dri_gbm.so" '$ORIGIN/..'
      for lib in libOpenGL.so.0 libGLX.so.0; do
         ln -sf libGL.so.1 "$1/$lib"
      done
   else
      rmdir "$1/gbm"
   fi
}

# stage_tools FOLDER: the programs of build/tools, in the same folders.
stage_tools() {
   (cd "$build/tools" && find . -type f -name 'clipfree-*' -perm -u+x) | while read -r tool; do
      install -m 755 -D "$build/tools/$tool" "$1/$tool"
      case $tool in
      ./*/*) set_rpath "$1/$tool" '$ORIGIN/../../lib' ;;
      *) set_rpath "$1/$tool" '$ORIGIN/../lib' ;;
      esac
   done
}

# set_rpath FILE FOLDERS: where it finds libraries of ours, in the place of where they were built; a file that has none
# stays so.
set_rpath() {
   ! chrpath -l "$1" >/dev/null 2>&1 || logged chrpath chrpath -r "$2" "$1" ||
      die "the folders of libraries in $1 could not be changed."
}

# stage_scripts SHARE PRIVATE VENDORS: the tools that are scripts and this script, with installed.sh in the place of
# what builds. PRIVATE: seen from SHARE.
stage_scripts() {
   local part
   mkdir -p "$1/tools/setup"
   cp "$root/clipfree" "$1/"
   for part in say.sh packages.sh display.sh run.sh commands.sh commands.txt; do
      cp "$root/tools/setup/$part" "$1/tools/setup/"
   done
   sed "s|@version@|$version|; s|@mesa_version@|$mesa_version|; s|@build@|$2|; s|@vendors@|$3|" \
      "$root/tools/setup/installed.sh.in" >"$1/tools/setup/installed.sh"
   (cd "$root" && find tools/debug tools/look tools/mediump tools/report tools/shader tools/sim -type f \
      ! -name '*.[ch]' ! -name meson.build ! -name 'test_*' ! -name '*_cases.py' ! -name '*.pyc' \
      -exec cp --parents -t "$1" {} + &&
      cp --parents -t "$1" src/clipfree/isa/isa.toml src/clipfree/timing/machine.toml)
}

# stage_documents SHARE
stage_documents() {
   /usr/bin/python3 "$root/tools/setup/gen_pages.py" "$1" || die "the man pages could not be made."
   mkdir -p "$1/doc/clipfree"
   cp -R "$root/docs" "$1/doc/clipfree/"
   for page in README.md CHANGELOG.md SECURITY.md CONTRIBUTING.md LICENSE; do
      cp "$root/$page" "$1/doc/clipfree/"
   done
}

# stage_vendor USR PRIVATE: the names by which glvnd finds its vendors. The number orders them: the system's Mesa, 50,
# is asked before, unless the package that makes clipfree the default has its link, too.
stage_vendor() {
   local lib vendors=$1/share/glvnd/egl_vendor.d
   for lib in libEGL_clipfree.so.0 libGLX_clipfree.so.0; do
      ln -s "clipfree/lib/$lib" "$1/$(dirname "$2")/$lib"
   done
   install -m 644 -D "$build/subprojects/mesa-$mesa_version/src/egl/50_clipfree.json" "$vendors/90_clipfree.json"
   ln -s 90_clipfree.json "$vendors/10_clipfree.json"
}

# stage_zydis FOLDER: the decoder of machine code, beside the libraries that need it: each Debian has another one, by
# another name (libZydis.so.4.0, 4.1), and packages are for later ones, too.
stage_zydis() {
   local name path
   needed_by "$1" | while read -r name path; do
      case $name in libZydis.so.*) install -m 644 "$path" "$1/$name" ;; esac
   done
}

# needed_by FOLDER: which libraries the files in it need, and where the system has them, a line each.
needed_by() {
   find "$1" -type f -exec ldd {} + 2>/dev/null | sed -n 's/^[[:space:]]*\(.*\) => \(\/.*\) (.*/\1 \2/p' | sort -u
}

# stage_bundled PRIVATE: libraries of others, each in a folder of its own name (installed.sh.in, add_bundled), with its
# license; but not the C library, which goes with the system's loader.
stage_bundled() {
   local name path
   needed_by "$1" |
      while read -r name path; do
         case $name in
         libc.so.* | libm.so.* | libdl.so.* | libpthread.so.* | librt.so.* | libresolv.so.* | libutil.so.*) continue ;;
         esac
         case $path in
         "$1"/* | "$root"/*) ;;
         *)
            install -m 644 -D "$path" "$1/bundled/$name/$name"
            install -m 644 "$(copyright_of "$path")" "$1/bundled/$name/copyright" || say "no license of $path is known"
            ;;
         esac
      done
}

# copyright_of FILE: what Debian's package of it says of its license.
copyright_of() {
   echo "/usr/share/doc/$(dpkg -S "*/$(basename "$(readlink -f "$1")")" | sed '1s/[:,].*//; q')/copyright"
}
