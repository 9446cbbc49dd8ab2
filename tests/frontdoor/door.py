# SPDX-License-Identifier: MIT
"""A copy of the front door in a folder of its own, with programs in the place of the machine's."""
import os
import re
import shutil
import time

from harness.suite import ROOT, run

MESA = re.search('^directory *= *(.*)$', (ROOT / 'subprojects' / 'mesa.wrap').read_text(), re.M)[1]  # mesa-VERSION

# Programs in the place of the machine's: all packages are there, Meson and ninja succeed at once.
INSTALLED = 'for p; do case $p in -*|*"}"*) ;; *) echo "$p installed";; esac; done'
GOOD = {
   'dpkg': 'echo amd64',
   'dpkg-query': INSTALLED,
   'sudo': 'exit 1',
   'apt-get': 'echo "E: Failed to fetch: no network"; exit 100',
   'meson': '''case $1 in
setup) for d; do case $d in */build|*/build-unit|*/build-fuzz|*/build-fuzz-driver) \
   mkdir -p "$d"; touch "$d/build.ninja";; esac; done;;
subprojects) mkdir -p subprojects/MESA;;
test) echo "Ok: 3"; echo "Fail: 0";;
esac'''.replace('MESA', MESA),
   'ninja': 'exit 0',
   'nice': 'exec "$@"',
}


def link_programs(folder):
   """A folder with links to the machine's programs."""
   folder.mkdir()
   for place in ('/usr/sbin', '/usr/bin'):
      for program in os.scandir(place):
         (folder / program.name).unlink(missing_ok=True)
         (folder / program.name).symlink_to(program.path)
   return folder


class FrontDoor:
   """A copy of the front door in `folder`, and programs to call it with: those of `bin`, then those of `machine`."""

   def __init__(self, folder, machine):
      self.tree, self.bin, self.machine = folder / 'tree', folder / 'bin', machine
      shutil.copytree(ROOT / 'tools' / 'setup', self.tree / 'tools' / 'setup')
      shutil.copytree(ROOT / 'subprojects' / 'packagefiles', self.tree / 'subprojects' / 'packagefiles')
      shutil.copy(ROOT / 'subprojects' / 'mesa.wrap', self.tree / 'subprojects')
      for name in ('clipfree', 'meson.build'):
         shutil.copy(ROOT / name, self.tree)
      self.bin.mkdir()
      for name, script in GOOD.items():
         self.put(name, script)
      self.archive = self.tree / 'subprojects' / 'packagecache' / f'{MESA}.tar.xz'
      self.wrap(source_hash='0' * 64, source_url='file:///nonexistent/mesa.tar.xz')
      self.said = ''

   def move(self, name):
      """The tree is called otherwise."""
      self.tree = self.tree.rename(self.tree.with_name(name))
      self.archive = self.tree / self.archive.relative_to(self.tree.with_name('tree'))

   def put(self, name, script):
      """A program in the place of the machine's; Meson also where Debian 12 has its private one."""
      for folder in [self.bin] + ([self.tree / '.clipfree' / 'bin'] if name == 'meson' else []):
         folder.mkdir(parents=True, exist_ok=True)
         (folder / name).write_text(f'#!/bin/sh\n{script}\n')
         (folder / name).chmod(0o755)

   def hide(self, name):
      """The machine does not have the program."""
      own = self.bin.with_name('machine')
      if self.machine != own:
         self.machine = shutil.copytree(self.machine, own, symlinks=True)
      for folder in (self.bin, self.machine):
         (folder / name).unlink(missing_ok=True)

   def wrap(self, **values):
      """Changes values of the copy's wrap."""
      path = self.tree / 'subprojects' / 'mesa.wrap'
      text = path.read_text()
      for key, value in values.items():
         text = re.sub(f'^{key} *=.*$', f'{key} = {value}', text, flags=re.M)
      path.write_text(text)

   def put_archive(self, content, path=None):
      """An archive in Mesa's place; returns its SHA-256."""
      path = path or self.archive
      path.parent.mkdir(parents=True, exist_ok=True)
      path.write_text(content)
      return run(['sha256sum', path]).output.split()[0]

   def with_archive(self):
      """Mesa's archive is there, as the wrap wants it."""
      self.wrap(source_hash=self.put_archive('the archive'))

   def put_suite(self, name, script):
      """A test suite in the place of the tree's."""
      path = self.tree / 'tests' / name / 'run'
      path.parent.mkdir(parents=True, exist_ok=True)
      path.write_text(f'#!/bin/sh\n{script}\n')
      path.chmod(0o755)

   def env(self, **more):
      env = {name: value for name, value in os.environ.items()
             if name in ('HOME', 'TERM', 'LANG', 'TMPDIR', 'DISPLAY')}
      return env | {'PATH': f'{self.bin}:{self.machine}'} | more

   def command(self, *arguments):
      return [self.tree / 'clipfree', *arguments]

   def call(self, *arguments, **more):
      outcome = run(self.command(*arguments), self.env(**more), timeout_s=60)
      self.said = f'{outcome.status}: {outcome.output.strip()[-600:]}'
      return outcome


def says(outcome, *texts, status=1):
   """Whether ./clipfree ended with the status and said the texts, line breaks aside."""
   words = ' '.join(outcome.output.split())
   return outcome.status == status and all(text in words for text in texts) and 'not found' not in words


def wait_for(condition):
   """Whether the condition comes true within 20 seconds; looks every now and then."""
   end_s = time.monotonic() + 20
   while not (met := condition()) and time.monotonic() < end_s:
      time.sleep(0.05)
   return met


def pasted(door, outcome, program):
   """The arguments that `program` gets where a shell runs the line of the message that begins with it, as a user
   would."""
   lines = [line for line in outcome.output.splitlines() if line.strip().startswith(program)]
   door.put(program, 'echo "$@"')
   return run(['sh', '-c', lines[0]], door.env()).output.strip() if len(lines) == 1 else ''
