# SPDX-License-Identifier: MIT
"""What the rule of rule.py must let pass, and what it must see."""
import random
import tempfile
from pathlib import Path

from PIL import Image, ImageDraw

from . import rule

SIZE_PX = 160
SHAPES = 40   # lines or triangles of a picture


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


def elsewhere(place_px, jitter):
   """With a random generator another place, no further than two drivers' vertices may be from each other."""
   return place_px + (jitter.uniform(-rule.SUBPIXEL, rule.SUBPIXEL) if jitter else 0)


def wire_frame(seed=1, left_out=(), jitter=None, x_px=0.0, y_px=0.0, colour=(255, 200, 100)):
   """A picture of lines between random places, the same for a seed, moved by parts of a pixel; without those of the
   numbers `left_out`."""
   numbers = random.Random(seed)
   picture = Image.new('RGB', (SIZE_PX, SIZE_PX))
   for line in range(SHAPES):
      ends = [elsewhere(numbers.uniform(10, SIZE_PX - 10), jitter) for _ in range(4)]
      if line not in left_out:
         draw_line(picture, *(end + (y_px if i % 2 else x_px) for i, end in enumerate(ends)), colour)
   return picture


def draw_line(picture, x0, y0, x1, y1, colour):
   """A pixel in each column or row of the line, the nearest to it."""
   steep = abs(y1 - y0) > abs(x1 - x0)
   if steep:
      x0, y0, x1, y1 = y0, x0, y1, x1
   if x0 > x1:
      x0, y0, x1, y1 = x1, y1, x0, y0
   for x in range(round(x0), round(x1)):
      y = round(y0 + (x - x0) * (y1 - y0) / (x1 - x0))
      picture.putpixel((y, x) if steep else (x, y), colour)


def triangles(seed, left_out=(), jitter=None):
   """A picture of small triangles of random colours, as wire_frame's lines."""
   numbers = random.Random(seed)
   picture = Image.new('RGB', (SIZE_PX, SIZE_PX), (40, 60, 80))
   for triangle in range(SHAPES):
      place = [numbers.uniform(20, SIZE_PX - 20) for _ in range(2)]
      corners = [[elsewhere(p + numbers.uniform(-15, 15), jitter) for p in place] for _ in range(3)]
      colour = tuple(numbers.randrange(256) for _ in range(3))
      if triangle not in left_out:
         draw_triangle(picture, corners, colour)
   return picture


def draw_triangle(picture, corners, colour):
   """The pixels whose centres are within it."""
   def side(a, b, x, y):
      return (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0])
   rows, columns = ([round(f(c[i] for c in corners)) for f in (min, max)] for i in (1, 0))
   for y in range(*rows):
      for x in range(*columns):
         sides = [side(corners[i], corners[(i + 1) % 3], x + 0.5, y + 0.5) for i in range(3)]
         if min(sides) >= 0 or max(sides) <= 0:
            picture.putpixel((x, y), colour)


def check_wire_frame(suite):
   """Lines may be elsewhere by parts of a pixel that GL's positions do not have; not by a pixel, in any direction, nor
   by a fourth."""
   reference = wire_frame()
   tolerance = rule.of_subpixels(reference, 2)
   suite.check('rule: of subpixels: a wire frame agrees with itself',
               rule.compare(reference, reference, tolerance).agree)
   for x, y in rule.DIRECTIONS:
      suite.check(f'rule: of subpixels: moved by {x}, {y} pixels does not',
                  not rule.compare(wire_frame(x_px=x, y_px=y), reference, tolerance).agree)
      part = wire_frame(x_px=x / 64, y_px=y / 64)
      suite.check(f'rule: of subpixels: by {x}/64, {y}/64 agrees', rule.compare(part, reference, tolerance).agree,
                  str(rule.compare(part, reference, tolerance)))
      part = wire_frame(x_px=x / 4, y_px=y / 4)
      suite.check(f'rule: of subpixels: by {x}/4, {y}/4 does not', not rule.compare(part, reference, tolerance).agree,
                  str(rule.compare(part, reference, tolerance)))
   suite.check('rule: all moves by a pixel are seen', not rule.agreeing_moves(reference, reference, tolerance))
   others = [wire_frame(x_px=x / part, y_px=y / part) for x, y in rule.DIRECTIONS for part in (1, 4, 64)] \
      + [wire_frame(1, [i]) for i in range(SHAPES)]
   verdicts = [rule.compare(other, reference, tolerance).agree for other in others]
   suite.check('rule: the short way to it says the same', len(set(verdicts)) == 2 and verdicts == [
      rule.agree(other, reference, tolerance) for other in others], f'{sum(verdicts)} of {len(verdicts)} agree')
   suite.check('rule: in a picture of one colour none is',
               rule.agreeing_moves(*[Image.new('RGB', (50, 50), (9, 9, 9))] * 2, tolerance) == rule.DIRECTIONS)
   check_displacement(suite, reference)


def check_displacement(suite, reference):
   """How far a picture is from its place."""
   for x, y in (0, 0), (0.25, 0), (0, -0.25), (0.25, 0.25):
      found = rule.displacement_px(wire_frame(x_px=x, y_px=y), reference)
      suite.check(f'rule: a displacement by {x}, {y} is found', None not in found
                  and all(abs(f - w) < 0.15 for f, w in zip(found, (x, y))), str(found))
   for x, y in (1, 0), (0, -1):
      found = rule.displacement_px(rule.moved(reference, x, y), reference)
      suite.check(f'rule: by {x}, {y} is not in place', None in found, str(found))


def check_missing(suite):
   """A fourth of the lines, and a square, that are not there."""
   reference = wire_frame()
   tolerance = rule.of_subpixels(reference, 2)
   suite.check('rule: of subpixels: a fourth of the lines missing is seen',
               not rule.compare(wire_frame(left_out=range(SHAPES // 4)), reference, tolerance).agree)
   picture = reference.copy()
   reference.paste((200, 0, 0), (20, 20, 32, 32))
   suite.check('rule: of subpixels: a missing square is seen',
               not rule.compare(picture, reference, rule.of_subpixels(reference, 2)).agree)
   check_missing_ones(suite)
   check_missing_along_tiles(suite)


def check_missing_ones(suite):
   """One of many that is not there, each in turn, is seen, but for those with few pixels in each tile; and all agree
   that are elsewhere by less than two drivers' vertices."""
   def dim(*arguments, **more):
      return wire_frame(*arguments, colour=(9, 7, 9), **more)
   for what, draw, seed, least in (('line', wire_frame, 1, 37), ('line', wire_frame, 2, 40), ('dim line', dim, 3, 35),
                                   ('triangle', triangles, 1, 35), ('triangle', triangles, 2, 33)):
      reference = draw(seed)
      tolerance = rule.of_subpixels(reference, 2)
      seen = sum(not rule.compare(draw(seed, [i]), reference, tolerance).agree for i in range(SHAPES))
      suite.check(f'rule: seed {seed}: one {what} of {SHAPES} missing is seen', seen >= least, f'{seen} of {SHAPES}')
      for i in range(5):
         verdict = rule.compare(draw(seed, jitter=random.Random(100 * seed + i)), reference, tolerance)
         suite.check(f'rule: seed {seed}, {i}: each {what} elsewhere by less than 1/16 pixel agrees', verdict.agree,
                     str(verdict))


def check_missing_along_tiles(suite):
   """A line that lies along the rim of tiles is missed as others are."""
   for name, far in (('horizontal', (SIZE_PX - 20, 0)), ('vertical', (0, SIZE_PX - 20))):
      missing = []
      for place in range(20, 20 + 2 * rule.TILE_PX):
         reference, picture = (Image.new('RGB', (SIZE_PX, SIZE_PX)) for _ in range(2))
         start = (10, place) if far[0] else (place, 10)
         draw_line(reference, *start, *(s + f for s, f in zip(start, far)), (50, 60, 70))
         missing.append(rule.missing_px(picture, reference, 2))
      suite.check(f'rule: a {name} line is missed in each place', min(missing) > rule.MISSING_PX,
                  f'{min(missing):.1f} px at least')
