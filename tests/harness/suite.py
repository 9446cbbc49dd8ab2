# SPDX-License-Identifier: MIT
"""Cases and their counts, and programs that cannot hang a suite.

The environment of a suite is that of a program on clipfree, as `./clipfree run` and `./clipfree test` make it:
LD_LIBRARY_PATH holds the driver's folder and DISPLAY a display.
"""
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Lock, Timer, local

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get('CLIPFREE_BUILD', ROOT / 'build'))
PREBUILT = BUILD / 'tests'          # programs that Meson built from tests/
ARTIFACTS = BUILD / 'test-results'  # what suites leave to look at
# Limits of time are so many times longer, for builds that are so much slower (suite `coverage`).
PATIENCE = int(os.environ.get('CLIPFREE_TEST_PATIENCE', '1'))


class Suite:
   """Counts the cases of the suite `name`; every case prints one line, at once. What they took is left in
   test-results/times/NAME.txt, a line a case, the longest first: the time since the case before in its thread."""

   def __init__(self, name):
      end_in_order()
      self.name = name
      self.passed = self.failed = self.skipped = 0
      self._lock, self._times, self._last = Lock(), [], local()
      self._last.s = time.monotonic()

   def check(self, case, passed, detail=''):
      """One case; `detail` says what was seen. Returns `passed`."""
      self._take('pass' if passed else 'FAIL', case, detail)
      return passed

   def skip(self, case, reason):
      self._take('skip', case, reason)

   @staticmethod
   def at_once():
      """How many cases run side by side."""
      return len(os.sched_getaffinity(0))

   def side_by_side(self, check, *items, alone=lambda *item: False):
      """Calls check(*item) for each of the items, as map does: in threads, at_once() of them; then, one by one, for those
      of which alone(*item) is true. These are items that measure time, or use a file or a place on the screen that
      another one uses. Returns what the calls return, in the order of items."""
      def checked(item):
         self._last.s = time.monotonic()
         return check(*item)
      items = list(zip(*items))
      pool = ThreadPoolExecutor(max_workers=self.at_once())
      try:
         beside = [None if alone(*item) else pool.submit(checked, item) for item in items]
         results = [future and future.result() for future in beside]
         return [result if future else checked(item) for item, future, result in zip(items, beside, results)]
      except BaseException:
         PROGRAMS.end()
         raise
      finally:
         pool.shutdown(cancel_futures=True)

   def finish(self):
      """Prints the counts, the suite's last line. Returns the exit status: no case at all is a failure too."""
      if BUILD.is_dir():
         lines = [f'{took_s:8.2f} s: {case}\n' for took_s, case in sorted(self._times, reverse=True)]
         (ARTIFACTS / 'times').mkdir(parents=True, exist_ok=True)
         (ARTIFACTS / 'times' / f'{self.name}.txt').write_text(''.join(lines))
      print(f'suite {self.name}: {self.passed} passed, {self.failed} failed, {self.skipped} skipped', flush=True)
      return 0 if self.passed and not self.failed else 1

   def _take(self, verdict, case, detail):
      now_s = time.monotonic()
      with self._lock:
         self.passed += verdict == 'pass'
         self.failed += verdict == 'FAIL'
         self.skipped += verdict == 'skip'
         self._times.append((now_s - getattr(self._last, 's', now_s), case))
         print(f'{verdict} {self.name} {case}' + (f': {detail}' if detail else ''), flush=True)
      self._last.s = now_s


class Programs:
   """Programs that run() has started and that have not ended: who ends a suite ends those of all threads."""

   def __init__(self):
      self.lock, self.running, self.ended = Lock(), set(), False

   def start(self, *arguments, **options):
      with self.lock:
         if self.ended:
            raise SystemExit('the suite has ended')
         process = subprocess.Popen(*arguments, **options)
         self.running.add(process)
         return process

   def has_ended(self, process):
      with self.lock:
         self.running.discard(process)

   def end(self):
      """Ends them; no other one is started."""
      with self.lock:
         self.ended = True
         for process in self.running:
            with suppress(ProcessLookupError):
               os.killpg(process.pid, signal.SIGKILL)


PROGRAMS = Programs()


@dataclass
class Outcome:
   """How a program ended: `status` as in subprocess (negative: a signal), None after the time limit."""
   status: int | None
   output: str
   seconds: float

   @property
   def ok(self):
      return self.status == 0

   def why(self):
      """One line for a report: the end of the program, and the last that it said."""
      if self.status is None:
         end = f'stopped after {self.seconds:.0f} s'
      elif self.status < 0:
         end = f'killed by {signal.Signals(-self.status).name}'
      else:
         end = f'exit status {self.status}'
      lines = [line for line in self.output.splitlines() if line.strip()]
      return end + (f'; last line: {lines[-1].strip()[:160]}' if lines else '; no output')


def end_in_order():
   """SIGTERM ends this program like Ctrl-C does: by an exception, so that what it runs is ended, too."""
   signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))


def kill_group(process):
   """Ends a program that was started in a session of its own, and all that it started there."""
   with suppress(ProcessLookupError):
      os.killpg(process.pid, signal.SIGKILL)
   process.wait()


def group_cpu_s(process):
   """The processor time so far of a program that was started in a session of its own, and of all that runs there."""
   ticks = 0
   for path in Path('/proc').glob('[0-9]*/stat'):
      with suppress(OSError):
         of = path.read_text().rpartition(')')[2].split()   # from field 3 on: 6 is the session, 14 and 15 are times
         ticks += (int(of[3]) == process.pid) * (int(of[11]) + int(of[12]))
   return ticks / os.sysconf('SC_CLK_TCK')


def run(command, env=None, timeout_s=60, cwd=None, prepare=None):
   """Runs a program to its end or the time limit, which ends its whole process group; so does an exception meanwhile.
   `prepare` is called in its process before. Output is what it wrote to stderr, then what it wrote to stdout: in one
   pipe, a message of the driver may stand in the middle of a line of the program, where a full buffer was written."""
   start = time.monotonic()
   try:
      process = PROGRAMS.start(command, env=env, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, start_new_session=True, preexec_fn=prepare)
   except FileNotFoundError:
      return Outcome(127, f'there is no program {command[0]}', 0)
   try:
      (output, errors), status = process.communicate(timeout=timeout_s * PATIENCE), process.returncode
   except subprocess.TimeoutExpired:
      kill_group(process)
      (output, errors), status = process.communicate(), None
   except BaseException:
      kill_group(process)
      raise
   finally:
      PROGRAMS.has_ended(process)
   return Outcome(status, one_after_the_other(errors, output), time.monotonic() - start)


def run_measured(command, env=None, timeout_s=60, cwd=None):
   """(Outcome, resource.struct_rusage): as run(), and what the program used, with the children it waited for. It waits
   for the program alone, not for children that have its output. What it wrote to stdout and stderr is one text, in the
   order in which it was written."""
   with tempfile.TemporaryFile() as said:
      start = time.monotonic()
      process = PROGRAMS.start([str(word) for word in command], env=env, stdin=subprocess.DEVNULL, stdout=said,
                               stderr=subprocess.STDOUT, start_new_session=True, cwd=cwd)
      late = Timer(timeout_s * PATIENCE, os.killpg, (process.pid, signal.SIGKILL))
      late.start()
      try:
         _, status, used = os.wait4(process.pid, 0)
      except BaseException:
         kill_group(process)
         raise
      finally:
         late.cancel()
         PROGRAMS.has_ended(process)
      seconds = time.monotonic() - start
      process.returncode = os.waitstatus_to_exitcode(status)
      said.seek(0)
      output = said.read().decode(errors='replace')
   return Outcome(process.returncode if seconds < timeout_s * PATIENCE else None, output, seconds), used


def one_after_the_other(first, second):
   """The text of two streams; the second begins in a line of its own."""
   first, second = (stream.decode(errors='replace') for stream in (first, second))
   return first + ('\n' if second and first and not first.endswith('\n') else '') + second


def driver_env(**more):
   """The environment under test: the suite's own."""
   return os.environ | more


def system_env(**more):
   """The environment of the system's Mesa with a software renderer."""
   ours = ('LD_LIBRARY_PATH', 'LD_PRELOAD', 'GBM_BACKENDS_PATH', 'GALLIUM_DRIVER', 'LIBGL_DRIVERS_PATH')
   env = {name: value for name, value in os.environ.items() if name not in ours and not name.startswith('CLIPFREE_')}
   return env | {'LIBGL_ALWAYS_SOFTWARE': '1'} | more


def reference_env(renderer='softpipe'):
   """The environment of the reference: softpipe, Mesa's slow and plain renderer, which computes like a textbook;
   llvmpipe's quick approximations are further from it than clipfree. But it cuts the ends of lines, and the places of
   points, to whole or half pixels; llvmpipe draws these by the rules of OpenGL 2.1, sections 3.3.1 and 3.4.1."""
   return system_env(GALLIUM_DRIVER=renderer)


def need_display():
   """Ends the suite with advice where there is no display."""
   if not os.environ.get('DISPLAY'):
      program = Path(sys.argv[0]).resolve().relative_to(ROOT)
      sys.exit(f'no display; start it as: ./clipfree run {program} ' + ' '.join(sys.argv[1:]))


def matching(names, patterns):
   """Those of `names` that one of the regular expressions finds; all without an expression."""
   try:
      wanted = [re.compile(pattern) for pattern in patterns]
   except re.error as error:
      sys.exit(f'{error.pattern}: {error}; a pattern is a regular expression, not one of file names')
   return [name for name in names if not wanted or any(pattern.search(name) for pattern in wanted)]


def piglit_folder():
   """Where Debian's package piglit has its programs, /usr/lib/TRIPLET/piglit; None: it is not installed."""
   return next(iter(sorted(Path('/usr/lib').glob('*/piglit'))), None)


def host_levels():
   """What CLIPFREE_HOST_LEVEL may be on this host, and what it may not: the host lacks the instructions."""
   replay, levels = BUILD / 'tools' / 'clipfree-replay', ('base', 'v3', 'v4', 'v4-bytes')
   refused = {level for level in levels if 'host level' in run([replay, '--host-level', level, '/dev/null']).output}
   return [level for level in levels if level not in refused], sorted(refused)


def refused(output):
   """The message that compiled code was not proven, and not run (docs/security.md); None. The compiler's code always
   is: what is refused is drawn right, but several times slower."""
   found = re.search('^.*compiled code is not run.*$', output, re.MULTILINE)
   return found and found[0]


def rule_programs():
   """The programs of suite `rules`, as Meson built them."""
   return sorted(PREBUILT.glob('*_rules'))


def data_lines(path):
   """The lines of a data file without comments (from '#' on) and blank lines."""
   lines = (line.split('#', 1)[0].strip() for line in Path(path).read_text().splitlines())
   return [line for line in lines if line]
