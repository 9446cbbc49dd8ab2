# SPDX-License-Identifier: MIT
"""Limits of the tools, of suite `tools`: they look into a capture of 1 GB with 4 GB of memory; where the disk is full
they say so and leave no half file, nor does a program that is captured."""
import os
import resource
import shlex
import signal
import subprocess
import sys
from pathlib import Path

from harness.suite import BUILD, PREBUILT, ROOT, driver_env, run

sys.path.insert(0, str(ROOT / 'tools' / 'look'))
import captures

WHY, REPLAY, DEBUG, SANITIZE, REDUCE, ASM = (BUILD / 'tools' / name for name in (
   'clipfree-why', 'clipfree-replay', 'clipfree-debug', 'clipfree-sanitize', 'clipfree-reduce', 'asm/clipfree-asm'))
REPORT, SIM, MEDIUMP, SHADER = (ROOT / 'tools' / name for name in (
   'report/report', 'sim/sim', 'mediump/mediump', 'shader/shader'))
GB = 1 << 30
PAGE_B = 4096                # of the small disk, which is full with one
NO_SPACE = 'No space left on device'


def small_capture():
   """A clear and a draw of 8x8 pixels."""
   capture = captures.Captured(ASM)
   capture.frame(capture.surface('r8g8b8a8_unorm', 8, 8))
   capture.packet('clear', colors=1, max_x_px=8, max_y_px=8)
   capture.vertices([(-1, -1, 0, 1), (3, -1, 0, 1), (-1, 3, 0, 1)], [(1, 0, 0, 1)] * 3)
   capture.draw()
   return capture


def program_capture(path, case='right'):
   """A program's, with its GLSL."""
   return run([PREBUILT / 'debug_cases', case], driver_env(CLIPFREE_CAPTURE=f'file={path},count=100')).ok


def limited(limit_B, kind, command, **environment):
   """Runs a command with a limit of a kind. Returns its status, what it prints, and the most memory that was
   resident: its own, or of a program that it ran."""
   def limit():
      signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
      resource.setrlimit(kind, (limit_B, limit_B))
   command = ['timeout', '-k', '5', '300', *map(str, command)]
   with subprocess.Popen(command, env=driver_env(CLIPFREE_BUILD=str(BUILD), **environment), preexec_fn=limit,
                         text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT) as process:
      text = process.stdout.read()
      _, status, usage = os.wait4(process.pid, 0)
      process.returncode = os.waitstatus_to_exitcode(status)
   return process.returncode, text, usage.ru_maxrss * 1024


def shortened(text):
   return ' '.join(text.split())[-160:]


# ---------------------------------------------------------------- a capture of 1 GB

def check_in_memory(suite, path, commands):
   """Commands (words, what one says, its status) on a capture of 1 GB, in 4 GB of memory: of data, and resident.
   Addresses that are reserved do not count."""
   for command, says, expected in commands:
      status, text, peak_B = limited(4 * GB, resource.RLIMIT_DATA, command)
      name = ' '.join(str(word) for word in command[:3]).replace(str(path.parent), 'IN')
      suite.check(f'large capture, {name.replace(str(command[0]), command[0].name)}',
                  status == expected and says in text and GB < peak_B < 4 * GB,
                  f'status {status}, {peak_B / GB:.2f} GB resident; {shortened(text)}')


def large_capture(path):
   """A clear, a draw and a copy, and 1 GB of memory with something in it."""
   capture = small_capture()
   capture.packet('copy_buffer', source=1 << 20, destination=GB // 2, size_B=4096)
   capture.submit()
   capture.write_compressed(path, filled=[(1 << 20, 0x5a, GB)])


def check_large(suite, folder):
   path, small, picture, page = (folder / name for name in ('large.cap', 'small.cap', 'large.png', 'large.html'))
   large_capture(path)
   check_in_memory(suite, path, (
      ([WHY, path, '3,3'], 'The colour is that of draw 0', 0),
      ([REPLAY, '--list', path], '1 draws in 1 submissions', 0),
      ([REPLAY, '--png', picture, path], '', 0),
      ([REPLAY, '--trim', '0', small, path], '1 of 1 submissions, 0.0 MB', 0), ([REPORT, '-o', page, path], '', 0),
      ([SANITIZE, path], 'nothing is found', 0), ([DEBUG, path, '--pixel', '3,3'], 'draw 0: ', 0),
      ([DEBUG, path, '--check', '20'], '20 pixels are those of the frame buffer', 0),
      ([SIM, '--mode', 'cycles', path], 'l2_hit_rate', 0)))
   suite.check('large capture, files', all(file.exists() for file in (picture, small, page)))


def check_large_compared(suite, folder):
   """With another path, with another capture, and with the replay of a build, which is a process of its own."""
   path = folder / 'large.cap'
   large_capture(path)
   check_in_memory(suite, path, (
      ([REPLAY, '--compare', '--against', 'path=plain', path], 'Both sides are equal.', 0),
      ([REPLAY, '--compare', '--against-capture', path, path], 'Both sides are equal.', 0),
      ([REPLAY, '--compare', '--against-build', BUILD, path], 'Both sides are equal.', 0)))


def check_large_reduced(suite, folder):
   """For one pixel's colour the gigabyte is not needed."""
   path, small = folder / 'large.cap', folder / 'small.cap'
   large_capture(path)
   test = f'{shlex.quote(str(WHY))} {{}} 3,3 | grep "The colour is that of draw 0"'
   reduce = [REDUCE, path, '-o', small, '--test', test]
   check_in_memory(suite, path, ((reduce, 'after: 1 submissions, 1 operations', 0),))
   suite.check('large capture, what is left', small.exists() and small.stat().st_size < 1000)


def large_capture_of_program(folder):
   """The path of the capture of a program, with its GLSL, and 1 GB of memory beside its own."""
   real, path = folder / 'phone.cap', folder / 'large.cap'
   drawn = program_capture(real, 'phone')
   data = real.read_bytes() if drawn else captures.MAGIC
   record = captures.struct.pack('<IIQQ', captures.MEMORY, 0, GB // 2, GB)
   path.write_bytes(captures.MAGIC + captures.zstd_frame(record, (0x5a, GB)) + data[len(captures.MAGIC):])
   return path


def check_large_program(suite, folder):
   path = large_capture_of_program(folder)
   check_in_memory(suite, path, (([SANITIZE, path], 'mediump', 1), ([SHADER, 'stats', path], 'fragment', 0)))


def check_large_trials(suite, folder):
   """What replays it many times."""
   path = large_capture_of_program(folder)
   check_in_memory(suite, path, (([MEDIUMP, path], 'Raise to highp: vec3 way', 1),
                                 ([SHADER, 'bisect', path], 'No pass changes the picture', 0)))


# ---------------------------------------------------------------- a full disk

def outputs(path):
   """Commands with {} for the file that they write, and the status where it cannot be written."""
   return [([REPLAY, '--png', '{}', path], 1), ([REPLAY, '--raw', '{}', path], 1),
           ([REPLAY, '--trim', '0', '{}', path], 1), ([REPORT, '-o', '{}', path], 1),
           ([REPORT, '--json', '{}', path], 1), ([REPORT, '--lcov', '{}', path], 1),
           ([REPORT, '--trace', '{}', path], 1), ([REPORT, '--map', 'overdraw', '{}.npy', path], 1),
           ([SIM, '--record', '{}', path], 1), ([SIM, '--mode', 'cycles', '--trace', '{}', path], 1),
           ([SIM, 'report', '-o', '{}', path], 1), ([SIM, 'report', '--csv', '{}', path], 1),
           ([REPLAY, '--stats', '{}', path], 1), ([REPLAY, '--trace', '{}', path], 1),
           ([MEDIUMP, '--no-raise', '--png', '{}', path], 2), ([SHADER, 'bisect', '--png', '{}', path], 1)]


def filled(words, file):
   return [str(word).format(file) for word in words]


def case_name(words):
   return ' '.join([Path(words[0]).name, *(str(word) for word in words[1:3] if str(word)[:1] not in '/{')])


def check_full(suite, folder):
   """A file that may not grow, and a device that is full: a message, and no half file."""
   path = folder / 'capture'
   full, half = folder / 'full', folder / 'half'
   full.symlink_to('/dev/full')  # a link, so that a mistake does not replace the machine's own device
   suite.check('disk full, capture', program_capture(path))
   there = sorted(folder.iterdir())
   captured = {'CLIPFREE_CAPTURE': 'file={},count=100'}
   cases = [(words, {}, status) for words, status in outputs(path)[:5]]
   for words, environment, expected in [*cases, ([PREBUILT / 'debug_cases', 'right'], captured, 0)]:
      for file, limit_B, says in (full, resource.RLIM_INFINITY, NO_SPACE), (half, 50, 'File too large'):
         variables = {name: value.format(file) for name, value in environment.items()}
         status, text, _ = limited(limit_B, resource.RLIMIT_FSIZE, filled(words, file), **variables)
         left = sorted(folder.iterdir())
         suite.check(f'disk full, {case_name(words)}, {file.name}',
                     status == expected and f'{file}: {says}' in text and left == there and full.is_symlink(),
                     f'status {status}, {len(left)} files; {shortened(text)}')


def on_small_disk(disk, command, pages=0, **environment):
   """Runs a command while `disk` is a disk with room for so many pages, of a mount namespace of its own. Returns its
   status, what it says, and the names of the files that are on the disk then; None: there can be no such disk here."""
   script = (f'mount -t tmpfs -o size={(1 + pages) * PAGE_B} none "$0" || exit 99; '
             f'head -c {PAGE_B} /dev/zero >"$0"/filler; "$@"; echo "status $?"; ls -A "$0"')
   own = [] if os.geteuid() == 0 else ['--map-root-user']
   outcome = run(['unshare', *own, '--mount', 'sh', '-c', script, disk, *map(str, command)],
                 driver_env(CLIPFREE_BUILD=str(BUILD), **environment), timeout_s=300)
   text, found, rest = outcome.output.rpartition('status ')
   return (int(rest.split()[0]), text, rest.split()[1:]) if found else None


def check_small_disk(suite, folder):
   """A disk that is full: each tool says so, with what to do, and leaves nothing there."""
   path, disk = folder / 'capture', folder / 'disk'
   disk.mkdir()
   suite.check('small disk, capture', program_capture(path))
   for words, expected in outputs(path):
      found = on_small_disk(disk, filled(words, disk / 'file'))
      if not found:
         suite.skip('small disk', 'there can be no mount namespace here')
         return
      status, text, left = found
      suite.check(f'small disk, {case_name(words)}',
                  status == expected and str(disk / 'file') in text and f'{NO_SPACE}; make room there' in text
                  and 'Traceback' not in text and left == ['filler'], f'status {status}, {left}; {shortened(text)}')
   trace = folder / 'trace.json'   # in the making it has no room
   status, text, left = on_small_disk(disk, [REPORT, '--trace', trace, path], pages=1, TMPDIR=str(disk))
   suite.check('small disk, of a timeline in the making', status == 1 and 'the timeline is not whole' in text
               and left == ['filler'] and not trace.exists(), f'status {status}, {left}; {shortened(text)}')


def check_numbers(suite, folder):
   """What a program writes beside its pictures - numbers of its draws, lines that ran, a timeline - where the disk is
   full: a message, once, and the program goes on. Nothing is left there, or whole rows."""
   disk = folder / 'disk'
   disk.mkdir()
   path, program = disk / 'stats.csv', PREBUILT / 'many_draws'
   for variables in {'CLIPFREE_STATS': path}, {'CLIPFREE_COVERAGE': disk}, {'CLIPFREE_TRACE': path}:
      found = on_small_disk(disk, [program], **{name: str(value) for name, value in variables.items()})
      if not found:
         suite.skip('full numbers', 'there can be no mount namespace here')
         return
      status, text, left = found
      suite.check(f'full numbers, {list(variables)[0]}', status == 0 and text.count(NO_SPACE) == 1
                  and left == ['filler'], f'status {status}, {left}; {shortened(text)}')
   whole = run([program], driver_env(CLIPFREE_STATS=str(folder / 'whole.csv')))
   rows = len((folder / 'whole.csv').read_text().splitlines()) if whole.ok else 0
   script = f'"$0"; echo "it ended: $?"; cat {path}'
   status, text, left = on_small_disk(disk, ['sh', '-c', script, program], pages=1, CLIPFREE_STATS=str(path))
   said, _, table = text.partition('it ended: 0\n')
   suite.check('full numbers, whole rows', said.count(NO_SPACE) == 1 and left == ['filler', path.name]
               and table.endswith('\n') and 0 < len(table.splitlines()) < rows, f'{left}, {rows} rows; {shortened(text)}')
   full = run([program], driver_env(CLIPFREE_STATS='/dev/full'))
   suite.check('full numbers, a device', full.ok and full.output.count(NO_SPACE) == 1 and os.path.exists('/dev/full'),
               full.output)


def check_full_answer(suite, folder):
   """An answer that cannot be written is not taken for one that was."""
   path = folder / 'capture'
   suite.check('full answer, capture', program_capture(path))
   commands = [[WHY, path, '160,120'], [WHY, '--json', path, '160,120'], [REPLAY, '--list', path],
               [REPLAY, '--list', '--json', path], [REPLAY, path], [REPORT, '--json', '-', path], [SANITIZE, path],
               [SANITIZE, '--json', path], [DEBUG, path, '--pixel', '160,120'], [DEBUG, path, '--check', '10'],
               [SIM, path], [SIM, '--json', path], [MEDIUMP, '--no-raise', path],
               [MEDIUMP, '--no-raise', '--json', path], [SHADER, 'stats', path], [SHADER, 'compile', path]]
   for command in commands:
      words = ' '.join(shlex.quote(str(word)) for word in command)
      outcome = run(['sh', '-c', f'{words} >/dev/full'], driver_env(CLIPFREE_BUILD=str(BUILD)), timeout_s=300)
      suite.check(f'full answer, {case_name(command)}',
                  outcome.status in (1, 2) and NO_SPACE in outcome.output and
                  not any(word in outcome.output for word in ('Traceback', 'Exception ignored')), outcome.why())


CHECKS = {'large capture': check_large, 'large capture of a program': check_large_program, 'disk full': check_full,
          'small disk': check_small_disk, 'full answer': check_full_answer, 'full numbers': check_numbers}
LONG_CHECKS = {'large capture, reduced': check_large_reduced, 'large capture, compared': check_large_compared,
               'large capture, trials': check_large_trials}
LONG = list(LONG_CHECKS)


def names():
   return list(CHECKS)


def check(suite, folder, name):
   {**CHECKS, **LONG_CHECKS}[name](suite, folder)
