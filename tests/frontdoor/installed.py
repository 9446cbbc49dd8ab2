# SPDX-License-Identifier: MIT
"""What the front door does where it is installed, and while packages are made; nothing is built."""
import shutil

from door import pasted, says
from harness.suite import run


def installed(door, vendors=''):
   """The door's tree as a package or a tarball has it, with libraries and a tool in lib/clipfree."""
   prefix = door.tree.with_name('installed')
   share, private = prefix / 'share' / 'clipfree', prefix / 'lib' / 'clipfree'
   setup = door.tree / 'tools' / 'setup'
   (share / 'tools' / 'setup').mkdir(parents=True)
   for name in ('say.sh', 'packages.sh', 'display.sh', 'run.sh', 'commands.sh', 'commands.txt'):
      shutil.copy(setup / name, share / 'tools' / 'setup')
   values = {'version': '1.2.3', 'mesa_version': '25.0.7', 'build': '../../lib/clipfree', 'vendors': vendors}
   text = (setup / 'installed.sh.in').read_text()
   for name, value in values.items():
      text = text.replace(f'@{name}@', value)
   (share / 'tools' / 'setup' / 'installed.sh').write_text(text)
   shutil.copy(door.tree / 'clipfree', share)
   (private / 'lib').mkdir(parents=True)
   (private / 'tools').mkdir()
   for name in ('why', 'reduce'):
      tool = private / 'tools' / f'clipfree-{name}'
      tool.write_text(f'#!/bin/sh\necho "{name} $* in $LD_LIBRARY_PATH"\n')
      tool.chmod(0o755)
   (prefix / 'bin').mkdir()
   (prefix / 'bin' / 'clipfree').symlink_to('../share/clipfree/clipfree')
   return prefix


def call(door, prefix, *arguments, **more):
   outcome = run([prefix / 'bin' / 'clipfree', *arguments], door.env(HOME=str(door.tree.with_name('home')), **more))
   door.said = f'{outcome.status}: {outcome.output.strip()[-600:]}'
   return outcome


def installed_commands(door):
   """Those that build or test are not there; the others are, under the name that they have there."""
   prefix = installed(door)
   helped, unknown = call(door, prefix, 'help'), call(door, prefix, 'test', 'unit')
   door.said = helped.output + unknown.output
   return says(helped, 'clipfree why CAPTURE', f'{prefix}/share/doc/clipfree/docs/debugging.md', status=0) and \
      './clipfree' not in helped.output and ' setup' not in helped.output and ' bench' not in helped.output and \
      says(unknown, "unknown command 'test'", "'clipfree help' explains them") and \
      says(call(door, prefix, '--version'), 'clipfree 1.2.3 (Mesa 25.0.7)', status=0)


def installed_variables(door):
   """A package's programs ask glvnd, a tarball's come before the system's libraries; tools have them too."""
   show = ('run', 'sh', '-c', 'echo "<$LD_LIBRARY_PATH|$__EGL_VENDOR_LIBRARY_FILENAMES|$__GLX_VENDOR_LIBRARY_NAME|'
           '$GBM_BACKENDS_PATH|$LIBGL_ALWAYS_SOFTWARE>"; exit 7')
   package = call(door, installed(door, '/vendors'), *show, DISPLAY='', LD_LIBRARY_PATH='/mine')
   prefix = door.tree.with_name('installed')
   lib = f'{prefix}/share/clipfree/../../lib/clipfree/lib'
   shutil.rmtree(prefix)
   tarball, why = call(door, installed(door), *show, DISPLAY=''), call(door, prefix, 'why', 'f.cap', '1,2')
   door.said = package.output + tarball.output + why.output
   return says(package, f'<{lib}:/mine|/vendors/90_clipfree.json|clipfree||1>', status=7) and \
      says(tarball, f'<{lib}|||{lib}/gbm|1>', status=7) and says(why, f'why f.cap 1,2 in {lib}', status=0)


def installed_without_xvfb(door):
   """Programs without a window run all the same."""
   door.hide('Xvfb')
   return says(call(door, installed(door), 'run', 'echo', 'drawn', DISPLAY=''), 'there is no Xvfb', 'drawn', status=0)


def installed_libraries_that_the_system_lacks(door):
   """Of the tarball's, those come after all others, and what they need themselves; a library that the system has is
   left to it."""
   prefix = installed(door)
   bundled = prefix / 'lib' / 'clipfree' / 'bundled'
   for name in ('libone.so.1', 'libtwo.so.2', 'libhere.so.3'):
      (bundled / name).mkdir(parents=True)
   door.put('ldd', '''printf '\\tlibhere.so.3 => /lib/libhere.so.3 (0x1)\\n\\tlibnone.so.4 => not found\\n'
case $LD_LIBRARY_PATH in *libone*) ;; *) printf '\\tlibone.so.1 => not found\\n'; exit;; esac
case $LD_LIBRARY_PATH in *libtwo*) ;; *) printf '\\tlibtwo.so.2 => not found\\n';; esac''')
   outcome = call(door, prefix, 'run', 'sh', '-c', 'echo "<$LD_LIBRARY_PATH>"', DISPLAY='')
   path = f'{prefix}/share/clipfree/../../lib/clipfree'
   return says(outcome, f'<{path}/lib:{path}/bundled/libone.so.1:{path}/bundled/libtwo.so.2>', status=0)


def installed_packages_missing(door):
   """Nothing is installed by it, not even for root: the line for root is said; help is given without, and what a tool
   does without them."""
   door.put('id', 'echo 0')
   door.put('dpkg-query', 'exit 1')
   prefix = installed(door)
   outcome, helped = call(door, prefix, 'report', 'f.cap'), call(door, prefix, 'reduce', '--help')
   reduced, compiles = (call(door, prefix, 'reduce', 'f.cap', *more, '-o', 's.cap') for more in ((), ('--c', 's.c')))
   door.said = outcome.output + helped.output + reduced.output + compiles.output
   return says(helped, 'reduce --help in', status=0) and says(reduced, 'reduce f.cap -o s.cap in', status=0) and \
      pasted(door, compiles, 'apt-get') == 'install --no-install-recommends libegl-dev libgles-dev' and \
      says(outcome, 'Debian packages are missing', 'Have root run the following line') and \
      pasted(door, outcome, 'apt-get') == 'install --no-install-recommends python3 python3-jinja2'


def package_options(door):
   door.put('dpkg-query', 'exit 1')  # a set-up would say that packages are missing
   return says(door.call('package', '--deb'), "'package' does not take '--deb'", '--tarball') and \
      says(door.call('package', '--help'), 'build-package/debs', status=0)


def debian_changelog(door):
   """Debian's is made from the newest section of CHANGELOG.md, which the version has to have."""
   script = (door.tree / 'clipfree').read_text()
   (door.tree / 'clipfree').write_text(script.replace('package) package "$@" ;;', 'package) debian_changelog ;;'))
   (door.tree / 'meson.build').write_text("  version : '9.9.9',\n")
   control = door.tree / 'packaging' / 'debian' / 'control'
   control.parent.mkdir(parents=True)
   control.write_text('Maintainer: Some Body <some@body.org>\n')
   older = '## 9.9.8 (2020-01-01)\n\n- older\n'
   newer = '## 9.9.9 (2020-02-03)\n\n- one\n  of two\n- ' + ' '.join(['word'] * 16) + '\n\n'
   (door.tree / 'CHANGELOG.md').write_text('# Changelog\n\n' + older)
   missing = door.call('package')
   (door.tree / 'CHANGELOG.md').write_text('# Changelog\n\n' + newer + older)
   made = door.call('package')
   return says(missing, "CHANGELOG.md has no section '## 9.9.9 (DATE)'") and made.output == (
      'clipfree (9.9.9) unstable; urgency=medium\n\n'
      '  * one of two\n  * ' + ' '.join(['word'] * 14) + '\n    word word\n\n'
      ' -- Some Body <some@body.org>  Mon, 03 Feb 2020 00:00:00 +0000\n')


INSTALLED_CASES = [installed_commands, installed_variables, installed_without_xvfb,
                   installed_libraries_that_the_system_lacks, installed_packages_missing, package_options,
                   debian_changelog]
