# SPDX-License-Identifier: MIT
"""The cache of compiled shaders on disk, of suite `trust`: whatever happens to it, the picture is right. (What it does
with each byte and each system call, its unit test shows: src/clipfree/jit/test_cache.c.)"""
import random
import struct
import subprocess
import time

from harness.suite import driver_env
from steps import PROGRAM, check, jobs, messages, take

HEAD = struct.Struct('<8sQQQ')   # cf_jit_cache.c
KILLS, LONG_KILLS = 20, 1000
PICTURES = 40                    # that take more than a megabyte


def kept_in(folder, **more):
   """Variables for a cache in a folder, which is used from the first draw on."""
   return {'MESA_SHADER_CACHE_DISABLE': 'false', 'MESA_SHADER_CACHE_DIR': str(folder), 'CLIPFREE_ENGINE': 'jit',
           'CLIPFREE_DEBUG': 'perf'} | more


def refusals(outcome):
   return [line for line in messages(outcome) if 'are not kept' in line]


def fnv(data):
   found = 0xcbf29ce484222325
   for byte in data:
      found = (found ^ byte) * 0x100000001b3 & (1 << 64) - 1
   return found


def is_whole(path):
   """Whether a file of the cache is what its head says."""
   data = path.read_bytes()
   magic, key_B, object_B, found = HEAD.unpack_from(data) if len(data) >= HEAD.size else (b'', 0, 0, 0)
   return magic == b'cfjit02\0' and len(data) == HEAD.size + key_B + object_B and fnv(data[HEAD.size:]) == found


def check_kept(suite, folder):
   first = take('open', 'draw', **kept_in(folder))
   check(suite, 'kept', first, jobs(first, 'compiled') > 0 and jobs(first, 'loaded') == 0)
   second = take('open', 'draw', **kept_in(folder))
   check(suite, 'kept, loaded', second, jobs(second, 'compiled') == 0 and jobs(second, 'loaded') > 0)


def check_others(suite, folder):
   """A folder that others may write to: one message, nothing is read or written."""
   ours = folder / 'clipfree'
   take('open', 'draw', **kept_in(folder))
   files = {path.name: path.stat().st_mtime_ns for path in ours.iterdir()}
   for mode in 0o770, 0o707:
      ours.chmod(mode)
      outcome = take('open', 'draw', 'draw=1', **kept_in(folder))
      same = {path.name: path.stat().st_mtime_ns for path in ours.iterdir()} == files
      check(suite, f'folder of mode {mode:o}', outcome,
            files and same and len(refusals(outcome)) == 1 and jobs(outcome, 'loaded') == 0, ('draw', 'draw=1'))
   ours.chmod(0o700)


def damage(path, some):
   """Changes a few bytes of a file, or its length."""
   data = bytearray(path.read_bytes())
   if some.random() < 0.2:
      del data[some.randrange(len(data)):]
   for _ in range(some.randint(1, 4)):
      if data:
         data[some.randrange(len(data))] ^= some.randint(1, 255)
   path.write_bytes(data)


def check_damaged(suite, folder):
   """Files of ours and of Mesa's cache, damaged at random: a miss, and the right picture."""
   seed = random.randrange(1 << 32)
   some = random.Random(seed)
   for number in range(6):
      take('open', 'draw', **kept_in(folder))
      files = [path for path in folder.rglob('*') if path.is_file() and path.stat().st_size]
      for path in files:
         damage(path, some)
      outcome = take('open', 'draw', **kept_in(folder))
      check(suite, f'damaged {number}, seed {seed}', outcome, files and jobs(outcome, 'compiled') > 0)


def check_bounded(suite, folder):
   """CLIPFREE_CACHE_MB: the folder takes at most so much of the disk."""
   def size_B():
      return sum((path.stat().st_size + 4095) // 4096 * 4096 for path in (folder / 'clipfree').iterdir())
   drawn = [f'draw={number}' for number in range(PICTURES)]
   free = take('open', *drawn, **kept_in(folder))
   free_B = size_B()
   bounded = take('open', 'draw=1000', **kept_in(folder, CLIPFREE_CACHE_MB='1'))
   check(suite, 'bounded', bounded, free.ok and size_B() <= 1 << 20 < free_B, ('draw=1000',))
   refused = take('open', 'draw', **kept_in(folder, CLIPFREE_CACHE_MB='0'))
   suite.check('bounded, wrong', not refused.ok and 'it may be 1 to 1048576' in refused.output, refused.why())


def killed(suite, folder, kills):
   """A program is killed at random moments: no file is damaged."""
   seed = random.randrange(1 << 32)
   some = random.Random(seed)
   whole = take('open', 'draw', 'draw=1', **kept_in(folder / 'whole'))
   checked, bad = set(), []
   for number in range(kills):
      steps = ['open', f'draw={2 * number}', f'draw={2 * number + 1}']
      with subprocess.Popen([PROGRAM, *steps], env=driver_env(**kept_in(folder)), stdin=subprocess.DEVNULL,
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
         time.sleep(some.uniform(0, 1.1 * whole.seconds))
         process.kill()
      for path in set((folder / 'clipfree').glob('*.o')) - checked:
         checked.add(path)
         bad += [] if is_whole(path) else [path.name]
   outcome = take('open', 'draw', **kept_in(folder))
   check(suite, f'killed {kills} times, seed {seed}', outcome, len(checked) > kills / 4 and not bad)
   if bad:
      print(f'   damaged: {bad[:5]} of {len(checked)}')


def check_killed(suite, folder):
   killed(suite, folder, KILLS)


def check_killed_often(suite, folder):
   killed(suite, folder, LONG_KILLS)


CHECKS = {'kept': check_kept, 'folder of others': check_others, 'damaged': check_damaged, 'bounded': check_bounded,
          'killed': check_killed}
LONG = {'killed often': check_killed_often}
