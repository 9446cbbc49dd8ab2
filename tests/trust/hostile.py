# SPDX-License-Identifier: MIT
"""Hosts that lack something, or refuse it, of suite `trust`: a program draws as it does elsewhere, or is told why it
cannot; it neither crashes nor hangs."""
import ctypes
import os
import re
import resource
import shutil
import subprocess
from pathlib import Path

from harness.suite import BUILD, driver_env, run
from steps import PROGRAM, check, expected, jobs, messages, pictures, take

NOBODY = 65534
NEW_USERS = 0x10000000             # CLONE_NEWUSER
FORKS = 6
LOADED = BUILD / 'lib' / 'libclipfree_jit.so'      # by dlopen
# Some leave too few for the GPU, some for its first draws, some for LLVM, or for what LLVM compiles.
ADDRESSES_MB = (150, 250, 290, 310, *range(340, 700, 20), 800, 1000, 1500, 2000, 4000)
ENOUGH_MB = 1500                   # with which it must draw, LLVM and all
LOST = 'clipfree: this process was forked from one that uses OpenGL'
ENGINES = ('auto', 'jit')


def check_fork(suite, folder):
   """A child that goes on without exec is told so, once, whatever its parent's threads were doing."""
   for engine in ENGINES:
      for case, disk in ('', {}), (', kept', {'MESA_SHADER_CACHE_DISABLE': 'false'}):
         outcome = take('open', 'draw', f'fork={FORKS}', 'draw', CLIPFREE_ENGINE=engine,
                        MESA_SHADER_CACHE_DIR=str(folder), **disk)
         told = sum(line.startswith(LOST) for line in messages(outcome))
         check(suite, f'fork, {engine}{case}', outcome, told == FORKS, ('draw', 'draw'))


def libraries(path):
   """The libraries that a program or library needs, and the loader."""
   return {Path(name) for name in re.findall(r'(/\S+) \(0x', run(['ldd', path], driver_env()).output)}


def make_jail(folder):
   """A folder with the program, its libraries, and nothing else; nobody but root may write there."""
   (folder / 'lib').mkdir()
   (folder / 'home').mkdir()
   shutil.copy(PROGRAM, folder / 'program')
   extra = (libraries(LOADED) | {LOADED}) if LOADED.exists() else set()
   for path in libraries(PROGRAM) | extra:
      to = folder / path.relative_to('/') if 'ld-linux' in path.name else folder / 'lib' / path.name
      to.parent.mkdir(exist_ok=True)
      shutil.copy(path.resolve(), to)


def enter(folder):
   """Makes a folder all that there is for this process, and leaves what root may do. Who is not root does so among new
   users, where the host has these."""
   if os.geteuid() and ctypes.CDLL(None).unshare(NEW_USERS):
      raise PermissionError('only root may change its root folder here')
   os.chroot(folder)
   os.chdir('/')
   if os.geteuid() == 0:
      os.setgroups([])
      os.setresgid(NOBODY, NOBODY, NOBODY)
      os.setresuid(NOBODY, NOBODY, NOBODY)


def no_processes():
   resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))


def check_jail(suite, folder):
   """In a folder without /proc, /dev, /sys and /tmp, whose home cannot be written; and there without a thread."""
   make_jail(folder)
   env = {'LD_LIBRARY_PATH': '/lib', 'HOME': '/home', 'MESA_SHADER_CACHE_DISABLE': 'false'}

   def prepare():
      enter(folder)
      if limit:
         no_processes()

   for engine in ENGINES:
      for case, limit in ('jail', False), ('jail, no processes', True):
         try:
            outcome = take('open', 'draw', 'draw=1', program='/program', prepare=prepare, CLIPFREE_ENGINE=engine, **env)
         except subprocess.SubprocessError:
            suite.skip(f'{case}, {engine}', 'this host lets nobody but root change the root folder')
         else:
            check(suite, f'{case}, {engine}', outcome, drawn=('draw', 'draw=1'))
   shutil.rmtree(folder)


def check_threads(suite, _folder):
   """No thread can be made: not from the beginning, or not any more."""
   for engine in ENGINES:
      check(suite, f'no threads, {engine}', take('refuse-threads', 'open', 'draw', 'draw=1', CLIPFREE_ENGINE=engine),
            drawn=('draw', 'draw=1'))
      outcome = take('open', 'refuse-threads', 'draw', 'draw=1', CLIPFREE_ENGINE=engine)
      check(suite, f'no more threads, {engine}', outcome, drawn=('draw', 'draw=1'))


def check_closed(suite, folder):
   """Standard input, output and error are closed: pictures are right, and what is printed gets into no file."""
   report, stats = folder / 'report', folder / 'stats.csv'
   for closed in (0,), (1,), (2,), (0, 1, 2):
      for engine in ENGINES:
         def prepare():
            for descriptor in closed:
               os.close(descriptor)
         shutil.rmtree(folder / 'cache', ignore_errors=True)
         outcome = take('open', 'draw', 'draw=1', prepare=prepare, CLIPFREE_ENGINE=engine, CLIPFREE_DEBUG='perf',
                        CLIPFREE_STATS=str(stats), MESA_SHADER_CACHE_DISABLE='false', TRUST_REPORT=str(report),
                        MESA_SHADER_CACHE_DIR=str(folder / 'cache'))
         outcome.output = report.read_text() if report.exists() else ''
         foreign = [path.name for path in (stats, *(folder / 'cache').rglob('*')) if path.is_file()
                    and b'clipfree: ' in path.read_bytes()]
         check(suite, f'closed {" ".join(map(str, closed))}, {engine}', outcome, not foreign, ('draw', 'draw=1'))


def check_addresses(suite, _folder):
   """Limits of the address space: it draws, or ends with a message, and does not crash; with enough shaders are
   compiled."""
   for limit_MB in ADDRESSES_MB:
      def prepare():
         resource.setrlimit(resource.RLIMIT_AS, (limit_MB << 20, limit_MB << 20))
      outcome = take('open', 'draw', 'draw=1', prepare=prepare, CLIPFREE_ENGINE='jit', CLIPFREE_DEBUG='perf')
      right = outcome.ok and pictures(outcome) == [expected(), expected('draw=1')]
      compiled = right and jobs(outcome, 'compiled') > 1
      told = outcome.status in (1, 127) and outcome.output.strip()
      suite.check(f'{limit_MB} MB of addresses', compiled if limit_MB >= ENOUGH_MB else right or told, outcome.why())


CHECKS = {'fork': check_fork, 'jail': check_jail, 'no threads': check_threads, 'closed': check_closed,
          'addresses': check_addresses}
