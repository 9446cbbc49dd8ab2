# SPDX-License-Identifier: MIT
"""glmark2's scenes: the list that counts, and short names for files."""
import re
from pathlib import Path

from .suite import data_lines

SCENE_LIST = Path(__file__).resolve().parents[1] / 'programs' / 'glmark2-scenes.txt'


def glmark2_scenes():
   """The scenes of tests/programs/glmark2-scenes.txt, as glmark2 takes them after -b."""
   return data_lines(SCENE_LIST)


def slug(scene):
   """A file name for a scene."""
   return re.sub(r'[^a-z0-9.]+', '-', scene.replace('=-', '=m').replace(';', '_')).strip('-')
