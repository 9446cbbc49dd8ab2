# SPDX-License-Identifier: MIT
"""What the rule of rule.py must let pass, and what it must see."""
import random
import tempfile
from pathlib import Path

from PIL import Image, ImageDraw

from . import rule

SIZE_PX = 160
LINES = 40


def check_the_rule(suite, tolerance):
   """The rule itself: what it must let pass and what it must see."""
   reference = Image.new('RGB', (100, 100), (40, 80, 120))
   ImageDraw.Draw(reference).polygon([(10, 10), (90, 30), (40, 85)], fill=(200, 100, 0))

   def agrees(change):
      picture = reference.copy()
      return rule.compare(change(picture) or picture, reference, tolerance).agree

   suite.check('rule: equal pictures agree', agrees(lambda p: p))
   suite.check('rule: 2 LSB agree', agrees(lambda p: p.point(lambda lsb: lsb + 2)))
   suite.check('rule: 3 LSB do not', not agrees(lambda p: p.point(lambda lsb: lsb + 3)))
   suite.check('rule: an edge pixel agrees', agrees(lambda p: p.putpixel((10, 11), (200, 100, 0))))
   suite.check('rule: two stray pixels do not', not agrees(lambda p: p.paste((0, 0, 0), (2, 2, 4, 3))))
   suite.check('rule: a shift by one pixel does not', not agrees(lambda p: p.transform(p.size, Image.Transform.AFFINE,
                                                                                    (1, 0, 1, 0, 1, 0))))
   suite.check('rule: another size does not', not agrees(lambda p: p.resize((99, 100))))
   check_every_frame(suite, reference, tolerance)
   check_wire_frame(suite)
   check_missing(suite)


def check_every_frame(suite, reference, tolerance):
   """Of several frames each has to agree, and to show something."""
   empty = Image.new('RGB', reference.size)
   with tempfile.TemporaryDirectory() as folder:
      paths = {}
      for name, picture in (('drawn', reference), ('empty', empty)):
         paths[name] = Path(folder) / f'{name}.png'
         picture.save(paths[name])
      for place in range(3):
         frames = ['drawn'] * 3
         frames[place] = 'empty'
         verdicts, blank = rule.compare_files([(paths[name], paths[name]) for name in frames], tolerance)
         suite.check(f'rule: frame {place + 1} of 3 blank is seen',
                     blank == ['empty.png'] and all(v.agree for v in verdicts))
         verdicts, _ = rule.compare_files([(paths[name], paths['drawn']) for name in frames], tolerance)
         suite.check(f'rule: frame {place + 1} of 3 wrong is seen',
                     [v.agree for v in verdicts].count(False) == 1 and not rule.worst(verdicts).agree)


def wire_frame(x_px=0.0, y_px=0.0, left_out=0):
   """A picture of lines between random places, the same each time, moved by parts of a pixel: a pixel in each column or row
   of a line, the nearest to it; without the first `left_out`."""
   numbers = random.Random(1)
   picture = Image.new('RGB', (SIZE_PX, SIZE_PX))
   for line in range(LINES):
      ends = [numbers.uniform(10, SIZE_PX - 10) for _ in range(4)]
      if line < left_out:
         continue
      x0, y0, x1, y1 = (end + (y_px if i % 2 else x_px) for i, end in enumerate(ends))
      steep = abs(y1 - y0) > abs(x1 - x0)
      if steep:
         x0, y0, x1, y1 = y0, x0, y1, x1
      if x0 > x1:
         x0, y0, x1, y1 = x1, y1, x0, y0
      for x in range(round(x0), round(x1)):
         y = round(y0 + (x - x0) * (y1 - y0) / (x1 - x0))
         picture.putpixel((y, x) if steep else (x, y), (255, 200, 100))
   return picture


def check_wire_frame(suite):
   """Lines may be elsewhere by parts of a pixel that GL's positions do not have; not by a pixel, in any direction, nor by a
   fourth."""
   reference = wire_frame()
   tolerance = rule.of_subpixels(reference, 2)
   suite.check('rule: of subpixels: a wire frame agrees with itself', rule.compare(reference, reference, tolerance).agree)
   for x, y in rule.DIRECTIONS:
      suite.check(f'rule: of subpixels: moved by {x}, {y} pixels does not', not rule.compare(wire_frame(x, y), reference, tolerance).agree)
      part = wire_frame(x / 64, y / 64)
      suite.check(f'rule: of subpixels: by {x}/64, {y}/64 agrees', rule.compare(part, reference, tolerance).agree,
                  str(rule.compare(part, reference, tolerance)))
      part = wire_frame(x / 4, y / 4)
      suite.check(f'rule: of subpixels: by {x}/4, {y}/4 does not', not rule.compare(part, reference, tolerance).agree,
                  str(rule.compare(part, reference, tolerance)))
   suite.check('rule: all moves by a pixel are seen', not rule.agreeing_moves(reference, reference, tolerance))
   suite.check('rule: in a picture of one colour none is', rule.agreeing_moves(*[Image.new('RGB', (50, 50), (9, 9, 9))] * 2, tolerance) ==
               rule.DIRECTIONS)
   check_displacement(suite, reference)


def check_displacement(suite, reference):
   """How far a picture is from its place."""
   for x, y in (0, 0), (0.25, 0), (0, -0.25), (0.25, 0.25):
      found = rule.displacement_px(wire_frame(x, y), reference)
      suite.check(f'rule: a displacement by {x}, {y} is found', None not in found and all(abs(f - w) < 0.15 for f, w in zip(found, (x, y))),
                  str(found))
   for x, y in (1, 0), (0, -1):
      found = rule.displacement_px(rule.moved(reference, x, y), reference)
      suite.check(f'rule: by {x}, {y} is not in place', None in found, str(found))


def check_missing(suite):
   """A fourth of the lines, and a square, that are not there."""
   reference = wire_frame()
   tolerance = rule.of_subpixels(reference, 2)
   suite.check('rule: of subpixels: a fourth of the lines missing is seen',
               not rule.compare(wire_frame(left_out=LINES // 4), reference, tolerance).agree)
   picture = reference.copy()
   reference.paste((200, 0, 0), (20, 20, 32, 32))
   suite.check('rule: of subpixels: a missing square is seen',
               not rule.compare(picture, reference, rule.of_subpixels(reference, 2)).agree)
