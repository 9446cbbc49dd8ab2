# SPDX-License-Identifier: MIT
"""The OpenGL hacks of XScreenSaver: which there are, and what is not done with them."""
from pathlib import Path

from .suite import data_lines, run

FOLDER = Path('/usr/libexec/xscreensaver')
PACKAGES = ('xscreensaver-gl', 'xscreensaver-gl-extra')
OPTIONS = {'gltext': ['--text', 'clipfree']}   # else that of a program that the packages have not
SKIP_LIST = Path(__file__).resolve().parents[1] / 'hacks' / 'skips.txt'


def installed():
   """The GL hacks of the packages, without what only serves others."""
   files = [line for package in PACKAGES for line in run(['dpkg', '-L', package]).output.split()]
   names = {Path(f).name for f in files if Path(f).parent == FOLDER}
   return sorted(name for name in names if '.' not in name and not name.startswith('xscreensaver'))


def command(name):
   return [str(FOLDER / name), '--root', *OPTIONS.get(name, [])]


def skips():
   """{(name, what is not done with it): why}"""
   return {(name, what): reason for name, what, reason in (line.split(None, 2) for line in data_lines(SKIP_LIST))}
