# SPDX-License-Identifier: MIT
"""Built once more in another folder, everything is the same, byte by byte, of suite `package`. Nothing is taken from
ccache, which would give what was built before."""
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
FETCHED = ('.clipfree', 'subprojects/packagecache')   # by the set-up; the rest of a copy is the sources
# Of a build folder: what Meson and ninja note for themselves, and which headers a source includes.
NOTES = ('meson-', '.ninja', 'build.ninja', 'compile_commands.json', '.clipfree', '.gitignore', '.hgignore')


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
            shutil.copytree(ROOT / path, tree / path, symlinks=True)
      yield tree
   finally:
      shutil.rmtree(folder)


def hashes(folder, pattern='*'):
   """{path in the folder: hash} of what was built."""
   files = [path for path in folder.rglob(pattern) if path.is_file() and not path.is_symlink()]
   built = [path for path in files if path.suffix != '.d' and not path.relative_to(folder).as_posix().startswith(NOTES)]
   return {path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in built}


def check_same(suite, case, first, second, least):
   """Two builds' hashes are the same, and have at least so many files."""
   different = sorted(path for path in first.keys() | second.keys() if first.get(path) != second.get(path))
   suite.check(case, len(first) >= least and not different,
               f'{len(first)} files' + (f', {len(different)} differ: {" ".join(different[:5])}' if different else ''))


def gpu_hashes(tree):
   """Of a build of the GPU alone, its tools and the compiler of shaders, debug information included. Or why not."""
   folder = tree / 'build-again'
   env = driver_env(**FRESH)
   made = run([meson(), 'setup', folder, tree, '-Dmesa=disabled', '-Dreproducible=true'], env, timeout_s=BUILD_S)
   made = run(['nice', 'ninja', '-C', folder, 'tools/clipfree-replay', *jit_targets(folder)], env,
              timeout_s=BUILD_S) if made.ok else made
   return (hashes(folder), '') if made.ok else (None, made.why())


def jit_targets(folder):
   """The compiler of shaders, where LLVM is installed."""
   module = 'src/clipfree/jit/llvm/libclipfree_jit.so'
   return [module] if module in (folder / 'build.ninja').read_text() else []


def check_gpu(suite):
   found = []
   for name in ('here', 'in-a-folder-with-a-longer-name'):
      with copy_of_tree(name) as tree:
         built, why = gpu_hashes(tree)
      if built is None:
         suite.check('again-gpu', False, f'{name}: {why}')
         return
      found.append(built)
   check_same(suite, 'again-gpu: objects, libraries, programs and generated files', *found, least=200)


def check_packages(suite):
   """Those that the suite has made before, against those that another tree makes."""
   first = hashes(ROOT / 'build-package/debs', '*.deb')
   with copy_of_tree('in-a-folder-with-a-longer-name') as tree:
      made = run([tree / 'clipfree', 'package'], os.environ | FRESH, timeout_s=BUILD_S)
      second = hashes(tree / 'build-package/debs', '*.deb') if made.ok else {}
   if made.ok:
      check_same(suite, 'again: packages', first, second, least=4)
   else:
      suite.check('again: packages', False, made.why())


CHECKS = {'again-gpu': check_gpu, 'again': check_packages}
