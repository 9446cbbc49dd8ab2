# SPDX-License-Identifier: MIT
"""Limits of the tools, of suite `tools`: they look into a capture of 1 GB with 4 GB of memory; where the disk is full
they say so and leave no half file, nor does a program that is captured."""
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

from harness.suite import BUILD, PREBUILT, ROOT, driver_env

sys.path.insert(0, str(ROOT / 'tools' / 'look'))
import captures

WHY, REPLAY, ASM = (BUILD / 'tools' / name for name in ('clipfree-why', 'clipfree-replay', 'asm/clipfree-asm'))
GB = 1 << 30


def small_capture():
   """A clear and a draw of 8x8 pixels."""
   capture = captures.Captured(ASM)
   capture.frame(capture.surface('r8g8b8a8_unorm', 8, 8))
   capture.packet('clear', colors=1, max_x_px=8, max_y_px=8)
   capture.vertices([(-1, -1, 0, 1), (3, -1, 0, 1), (-1, 3, 0, 1)], [(1, 0, 0, 1)] * 3)
   capture.draw()
   return capture


def limited(limit_B, kind, command, **environment):
   """Runs a command with a limit of a kind. Returns its status, what it prints, and the most memory that was
   resident."""
   def limit():
      signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
      resource.setrlimit(kind, (limit_B, limit_B))
   command = ['timeout', '-k', '5', '300', *map(str, command)]
   with subprocess.Popen(command, env=driver_env(**environment), preexec_fn=limit, text=True, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT) as process:
      text = process.stdout.read()
      _, status, usage = os.wait4(process.pid, 0)
      process.returncode = os.waitstatus_to_exitcode(status)
   return process.returncode, text, usage.ru_maxrss * 1024


def shortened(text):
   return ' '.join(text.split())[-160:]


def check_large(suite, folder):
   """A capture of 1 GB, all of it memory with something in it, in 4 GB: of data, and resident. Addresses that are
   reserved do not count."""
   path, small, picture = folder / 'large.cap', folder / 'small.cap', folder / 'large.png'
   capture = small_capture()
   capture.packet('copy_buffer', source=1 << 20, destination=GB // 2, size_B=4096)
   capture.submit()
   capture.write_compressed(path, filled=[(1 << 20, 0x5a, GB)])
   for command, says in (([WHY, path, '3,3'], 'The colour is that of draw 0'),
                         ([REPLAY, '--list', path], '1 draws in 1 submissions'),
                         ([REPLAY, '--png', picture, path], ''),
                         ([REPLAY, '--compare', '--against', 'path=plain', path], 'Both sides are equal.'),
                         ([REPLAY, '--trim', '0', small, path], '1 of 1 submissions, 0.0 MB')):
      status, text, peak_B = limited(4 * GB, resource.RLIMIT_DATA, command)
      suite.check(f'large capture, {command[0].name} {command[1]}'.replace(str(path), 'CAPTURE'),
                  status == 0 and says in text and GB < peak_B < 4 * GB,
                  f'{peak_B / GB:.2f} GB resident; {shortened(text)}')
   suite.check('large capture, files', picture.exists() and small.exists())


def check_full(suite, folder):
   """A full disk, and a file that may not grow: a message, and no half file."""
   path = folder / 'capture'
   full, half = folder / 'full', folder / 'half'
   full.symlink_to('/dev/full')  # a link, so that a mistake does not replace the machine's own device
   capture = small_capture()
   capture.submit()
   capture.write(path)
   there = sorted(folder.iterdir())
   captured = {'CLIPFREE_CAPTURE': 'file={},count=100'}
   cases = [([REPLAY, mode, '{}', path], {}, 1) for mode in ('--png', '--raw')]
   cases += [([REPLAY, '--trim', '0', '{}', path], {}, 1), ([PREBUILT / 'debug_cases', 'right'], captured, 0)]
   for words, environment, expected in cases:
      for file, limit_B, says in (full, resource.RLIM_INFINITY,
                                  'No space left on device'), (half, 50, 'File too large'):
         command = [str(word).format(file) for word in words]
         variables = {name: value.format(file) for name, value in environment.items()}
         status, text, _ = limited(limit_B, resource.RLIMIT_FSIZE, command, **variables)
         left = sorted(folder.iterdir())
         suite.check(f'disk full, {Path(command[0]).name} {command[1]}, {file.name}',
                     status == expected and f'{file}: {says}' in text and left == there and full.is_symlink(),
                     f'status {status}, {len(left)} files; {shortened(text)}')


CHECKS = {'large capture': check_large, 'disk full': check_full}


def names():
   return list(CHECKS)


def check(suite, folder, name):
   CHECKS[name](suite, folder)
