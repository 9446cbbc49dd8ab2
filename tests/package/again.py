# SPDX-License-Identifier: MIT
"""Built once more in another folder, with another mask of permissions and in another time zone, everything is the same,
byte by byte, of suite `package`. Nothing is taken from ccache, which would give what was built before."""
import hashlib
import os
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path

from harness.hosts import meson
from harness.suite import ROOT, driver_env, run

BUILD_S = 7200
FRESH = {'CCACHE_DISABLE': '1'}
ELSEWHERE = FRESH | {'TZ': 'LINT-14'}   # mostly another day there
FETCHED = ('.clipfree', 'subprojects/packagecache')   # by the set-up; but what was built; the rest is the sources
# Of a build folder: what Meson and ninja note for themselves, and which headers a source includes.
NOTES = ('meson-', '.ninja', 'build.ninja', 'compile_commands.json', '.clipfree', '.gitignore', '.hgignore')

# What makes two builds differ: the time at which a source is compiled.
PLANTED_IN = 'src/clipfree/command/cf_process.c'
PLANTED = 'extern const char cf_planted[];\nconst char cf_planted[] = __TIME__;\n'


@contextmanager
def copy_of_tree(name):
   """The sources, and what was fetched, in a folder whose name ends in `name`."""
   folder = Path(tempfile.mkdtemp(prefix='clipfree-'))
   try:
      left_out = shutil.ignore_patterns('build*', '.git', '.clipfree', 'packagecache', 'mesa-*', 'tour', '__pycache__')
      tree = shutil.copytree(ROOT, folder / name, symlinks=True, ignore=lambda path, names: left_out(path, names)
                             if Path(path) in (ROOT, ROOT / 'subprojects') else [])
      for path in FETCHED:
         if (ROOT / path).exists():
            shutil.copytree(ROOT / path, tree / path, symlinks=True, ignore=shutil.ignore_patterns('ccache'))
      yield tree
   finally:
      shutil.rmtree(folder)


def hashes(folder, pattern='*'):
   """{path in the folder: hash} of what was built."""
   files = [path for path in folder.rglob(pattern) if path.is_file() and not path.is_symlink()]
   built = [path for path in files if path.suffix != '.d' and not path.relative_to(folder).as_posix().startswith(NOTES)]
   return {path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in built}


def different(first, second):
   """What two builds' hashes do not share."""
   return sorted(path for path in first.keys() | second.keys() if first.get(path) != second.get(path))


def check_same(suite, case, first, second, least):
   """Two builds' hashes are the same, and have at least so many files."""
   others = different(first, second)
   suite.check(case, len(first) >= least and not others,
               f'{len(first)} files' + (f', {len(others)} differ: {" ".join(others[:5])}' if others else ''))


def gpu_hashes(tree):
   """Of a build of the GPU alone, its tools and the compiler of shaders, debug information included; and once more
   with PLANTED in a source. Or None, and why not."""
   folder = tree / 'build-again'
   made = run([meson(), 'setup', folder, tree, '-Dmesa=disabled', '-Dreproducible=true'], driver_env(**FRESH),
              timeout_s=BUILD_S)
   made = build_gpu(folder) if made.ok else made
   clean = hashes(folder) if made.ok else None
   with (tree / PLANTED_IN).open('a') as source:
      source.write(PLANTED)
   made = build_gpu(folder) if made.ok else made
   return (clean, hashes(folder)) if made.ok else (None, made.why())


def build_gpu(folder):
   return run(['nice', 'ninja', '-C', folder, 'tools/clipfree-replay', *jit_targets(folder)], driver_env(**FRESH),
              timeout_s=BUILD_S)


def jit_targets(folder):
   """The compiler of shaders, where LLVM is installed."""
   module = 'src/clipfree/jit/llvm/libclipfree_jit.so'
   return [module] if module in (folder / 'build.ninja').read_text() else []


def check_gpu(suite):
   found = []
   for name in ('here', 'in-a-folder-with-a-longer-name'):
      with copy_of_tree(name) as tree:
         clean, planted = gpu_hashes(tree)
      if clean is None:
         suite.check('again-gpu', False, f'{name}: {planted}')
         return
      found.append((clean, planted))
   (first, first_planted), (second, second_planted) = found
   check_same(suite, 'again-gpu: objects, libraries, programs and generated files', first, second, least=200)
   others = different(first_planted, second_planted)
   suite.check('again-gpu: a time that was planted in a source is found',
               any(Path(PLANTED_IN).name in path for path in others) and 'tools/clipfree-replay' in others and
               len(others) < len(first) / 2, f'{len(others)} differ: {" ".join(others[:5])}')


def check_made(suite, case, folder, pattern, least, options):
   """What the suite has made before, against what another tree makes."""
   first = hashes(ROOT / folder, pattern)
   with copy_of_tree('in-a-folder-with-a-longer-name') as tree:
      made = run(['sh', '-c', f'umask 002; chmod -R g+w .; exec ./clipfree package {options}'],
                 os.environ | ELSEWHERE, timeout_s=BUILD_S, cwd=tree)
      second = hashes(tree / folder, pattern) if made.ok else {}
   if made.ok:
      check_same(suite, case, first, second, least)
   else:
      suite.check(case, False, made.why())


def check_packages(suite):
   check_made(suite, 'again: packages', 'build-package/debs', '*.deb', 4, '')


def check_tarball(suite):
   check_made(suite, 'again-tarball', 'build', 'clipfree-*.tar.gz', 1, '--tarball')


CHECKS = {'again-gpu': check_gpu, 'again': check_packages, 'again-tarball': check_tarball}
