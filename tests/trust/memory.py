# SPDX-License-Identifier: MIT
"""Memory that runs out, of suite `trust`: memory_cases draws while an allocation of the driver fails, or all from one
on (fail_allocations.c, preloaded). It must not crash or hang; each picture is right, or GL or EGL has said that it is
not; nothing is left allocated that is not left otherwise; and when allocations succeed again, so do pictures.

What fails is what the driver allocates itself, by malloc and its like, mmap, mremap, mprotect and memfd_create: callers
in src/clipfree, with the JIT's library, src/gallium/drivers/clipfree and winsys/clipfree, by their addresses. What Mesa
allocates, also for the driver (NIR, ralloc, hash tables), and LLVM and the C library for themselves, succeeds: Mesa
does not look in many places, and LLVM ends the process."""
import os
import random
import re
from bisect import bisect_right
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache

from harness.suite import BUILD, PREBUILT, driver_env, run

PROGRAM = PREBUILT / 'memory_cases'
PRELOADED = PREBUILT / 'fail_allocations.so'
OUT_OF_MEMORY = 0x505              # GL's
LIMIT_S = 60
SAMPLE = 30                        # calls that fail in the short suite, of each kind
SHOWN = 4                          # faults that a line names
# What the driver's files are called, and its functions that other files call.
OURS = re.compile(r'(cf|clipfree)_')
SYMBOL = re.compile(r'\s*\d+: (\w+) +(\d+|0x\w+) (FUNC|FILE) +\w+ +\w+ +\w+ ?(.*)')
SETTINGS = {
   'interpreted': {'CLIPFREE_ENGINE': 'interp', 'CLIPFREE_THREADS': '0'},
   'compiled': {'CLIPFREE_ENGINE': 'jit', 'CLIPFREE_THREADS': '0'},
   'threads': {'CLIPFREE_ENGINE': 'auto', 'CLIPFREE_THREADS': '3'},
}


def functions(library):
   """[(begin, end, name)] of the driver's functions in a library, by address. Symbols of a file follow its name; those
   that other files see come last, without one."""
   found, in_file, ours = [], False, False
   for line in run(['readelf', '-sW', library]).output.splitlines():
      symbol = SYMBOL.fullmatch(line.rstrip())
      if not symbol:
         continue
      address, size, kind, name = symbol.groups()
      if kind == 'FILE':
         in_file, ours = bool(name), bool(OURS.match(name))
      elif (ours if in_file else OURS.match(name)) and int(address, 16):
         found.append((int(address, 16), int(address, 16) + int(size, 0), name))
   return sorted(set(found))


@cache
def code():
   """{name of a library: its functions of the driver}."""
   libraries = {(BUILD / 'lib' / name).resolve() for name in os.listdir(BUILD / 'lib')
                if re.match(r'libgallium|libclipfree_jit', name)}
   return {path.name: functions(path) for path in libraries}


def write_code(path):
   """The file FAIL_CODE: ranges of addresses that do not overlap."""
   lines = []
   for library, found in code().items():
      end = 0
      for begin, stop, _name in found:
         if stop > end:
            lines.append(f'{library} {max(begin, end):x} {stop:x}\n')
            end = stop
   path.write_text(''.join(lines))


def place(site):
   """The function of a line 'LIBRARY OFFSET'."""
   library, offset = site.split()[:2]
   found = code()[library]
   at = bisect_right(found, (int(offset, 16), 1 << 63, '')) - 1
   return f'{found[at][2]}+{int(offset, 16) - found[at][0]:#x}'


@dataclass
class Taken:
   """A run of the program, what it said of scenes, {(when, scene): (hash, whether it was refused, GL's error)}, and
   what the library reported."""
   outcome: object
   scenes: dict
   lacking: list
   calls: list
   left: Counter
   numbers: dict


def take(folder, setting, at=0, all_from=False, **variables):
   name = f'{setting}-{at}{"-all" if all_from else ""}'
   report = folder / name
   failing = {'FAIL_AT': str(at), 'FAIL_ALL': str(int(all_from))} if at else {}
   env = driver_env(**({'LD_PRELOAD': str(PRELOADED), 'FAIL_CODE': str(folder / 'code'), 'FAIL_REPORT': str(report),
                        'MESA_SHADER_CACHE_DISABLE': 'true', 'MALLOC_PERTURB_': '165'} |
                       SETTINGS[setting] | failing | variables))
   outcome = run([PROGRAM], env, timeout_s=LIMIT_S)
   said = re.findall(r'^(hurt|healthy|reopened) ([^:]+): (\w{16})( refused)?(?: error 0x(\w+))?$', outcome.output,
                     re.MULTILINE)
   lines = report.read_text().splitlines() if report.exists() else []
   report.unlink(missing_ok=True)
   words = [line.split(maxsplit=1) for line in lines]
   numbers = {word: int(rest) for word, rest in words if word in ('failed', 'mapped')}
   descriptors = re.search(r'^descriptors (\d+)$', outcome.output, re.MULTILINE)
   numbers['descriptors'] = int(descriptors[1]) if descriptors else -1
   return Taken(outcome, {(when, scene): (picture, bool(refused), int(error or '0', 16))
                          for when, scene, picture, refused, error in said},
                re.findall(r'^no (\w+): 0x\w+$', outcome.output, re.MULTILINE),
                [rest for word, rest in words if word == 'call'],
                Counter(rest.rsplit(' ', 1)[0] for word, rest in words if word == 'left'), numbers)


def wrong_picture(when, scene, seen, expected):
   """What is wrong with a scene: '' if it is right, or, where allocations fail, said to be not."""
   picture, refused, error = seen
   right = picture == expected[0]
   if when == 'hurt' and (refused or error == OUT_OF_MEMORY):
      return ''
   if right and not refused and not error:
      return ''
   return f'{when} {scene}: {"right" if right else "wrong"} picture{" refused" if refused else ""}, error {error:#x}'


def fault(taken, free):
   """What is wrong with a run in which allocations failed; `free`: a run without."""
   if not taken.outcome.ok:
      return taken.outcome.why()
   may_miss = {'hurt'} if taken.lacking else set()
   may_miss |= {'healthy'} if 'display' in taken.lacking else set()   # they draw on what was opened before
   for (when, scene), expected in free.scenes.items():
      seen = taken.scenes.get((when, scene))
      if seen is None and when not in may_miss:
         return f'{when} {scene} is missing'
      wrong = wrong_picture(when, scene, seen, expected) if seen else ''
      if wrong:
         return wrong
   left = taken.left - free.left
   if left:
      return 'left: ' + ', '.join(f'{count} of {place(site)}' for site, count in left.items())
   for word in 'mapped', 'descriptors':
      if taken.numbers.get(word) != free.numbers[word]:
         return f'{taken.numbers.get(word)} {word}, {free.numbers[word]} otherwise'
   return ''


def reference(suite, folder, setting):
   """A run in which nothing fails. None: it is not as it should be."""
   write_code(folder / 'code')
   free = take(folder, setting)
   good = (free.outcome.ok and free.calls and not free.numbers['failed'] and len(free.scenes) >= 20 and
           all(not refused and not error for _, refused, error in free.scenes.values()) and
           all(picture == free.scenes['healthy', scene][0] for (_, scene), (picture, *_) in free.scenes.items()))
   sites = len(set(free.calls))
   suite.check(f'memory, {setting}, nothing fails', good,
               f'{len(free.calls)} allocations in {sites} places, {sum(free.left.values())} left; {free.outcome.why()}')
   return free if good else None


def check_failing(suite, folder, setting, free, chosen, all_from):
   """The allocations of these numbers fail."""
   def one(number):
      return number, fault(take(folder, setting, number, all_from), free)
   with ThreadPoolExecutor(max(1, min(8, os.cpu_count() or 1))) as pool:
      faults = [(number, what) for number, what in pool.map(one, chosen) if what]
   named = '; '.join(f'{number}, {place(free.calls[number - 1])}: {what}' for number, what in faults[:SHOWN])
   suite.check(f'memory, {setting}, {"all from one on" if all_from else "one"}', not faults,
               f'{len(chosen)} runs, {len(faults)} faults' + (f'; {named}' if named else ''))


def sample(calls, generator):
   """Numbers of calls: of as many places as may be, any call of each."""
   numbers = list(range(1, len(calls) + 1))
   generator.shuffle(numbers)
   by_place = {calls[number - 1]: number for number in numbers}
   return sorted(generator.sample(sorted(by_place.values()), min(SAMPLE, len(by_place))))


def check_sample(suite, folder):
   """Some allocations fail."""
   seed = int(os.environ.get('CLIPFREE_TEST_SEED', '0'), 0) or random.randrange(1, 1 << 32)
   print(f'CLIPFREE_TEST_SEED={seed:#x}', flush=True)
   generator = random.Random(seed)
   free = reference(suite, folder, 'interpreted')
   for all_from in (False, True) if free else ():
      check_failing(suite, folder, 'interpreted', free, sample(free.calls, generator), all_from)


def check_all(suite, folder):
   """Each allocation fails, alone and with all after it; compiled, and with threads, where their number differs from
   run to run, one of each place."""
   free = reference(suite, folder, 'interpreted')
   for all_from in (False, True) if free else ():
      check_failing(suite, folder, 'interpreted', free, range(1, len(free.calls) + 1), all_from)
   for setting in 'compiled', 'threads':
      free = reference(suite, folder, setting)
      numbers = {place: number for number, place in enumerate(free.calls, 1)} if free else {}
      for all_from in (False, True) if free else ():
         check_failing(suite, folder, setting, free, sorted(numbers.values()), all_from)


def check_limit(suite, folder):
   """CLIPFREE_MEMORY_MB: what does not fit is GL_OUT_OF_MEMORY."""
   write_code(folder / 'code')
   free = take(folder, 'interpreted')
   said = {}
   for limit_MB in (1, 2, 4, 8, 16, 32, 64, 4096):
      few = take(folder, 'interpreted', CLIPFREE_MEMORY_MB=str(limit_MB))
      wrong = [what for (when, scene), seen in few.scenes.items()
               if (what := wrong_picture('hurt', f'{when} {scene}', seen, free.scenes[when, scene]))]
      said[limit_MB] = sum(error == OUT_OF_MEMORY for _, _, error in few.scenes.values()) + len(few.lacking)
      suite.check(f'memory, {limit_MB} MB', few.outcome.ok and not wrong,
                  '; '.join([few.outcome.why(), *wrong][:SHOWN]))
   suite.check('memory, the limit', said[1] and not said[4096], f'errors by limit: {said}')
   refused = take(folder, 'interpreted', CLIPFREE_MEMORY_MB='0')
   suite.check('memory, a wrong limit', not refused.scenes and 'it may be 1 to 1048576' in refused.outcome.output,
               refused.outcome.why())


CHECKS = {'memory': check_sample, 'memory limit': check_limit}
LONG = {'memory of all': check_all}
