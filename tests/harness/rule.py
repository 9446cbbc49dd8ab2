# SPDX-License-Identifier: MIT
"""When two drivers' pictures of the same GL calls agree.

GL fixes no bits: it leaves roundings, the order of the sums of an interpolation, filter weights and the level of detail
some room, and it does not say on which side of an edge a sample on it falls. So each pixel is put in one of three
classes, with tolerances T (LSBs of a channel), E and W (shares of all pixels):

  close   each channel is within T of the reference's;
  edge    not close, but each channel lies within the range that the reference's 3 x 3 neighbourhood spans, widened by
          T: a sample that fell to the other side of an edge;
  wrong   neither.

Two pictures agree when at most the share E is edge, and at most the share W is wrong.

E and W may be given, or follow from the reference (of_subpixels): GL has four bits of a position in the window at least
(SUBPIXEL_BITS, GL 2.1 section 6.2), so a vertex is off by half of 1/16 pixel at most, and two drivers' pictures by
1/16. A move by 1/16 changes 1/16 of the pixels that a move by one pixel changes, which the reference itself tells. So a
picture that is moved by a pixel never agrees, and a wire frame, in which a move changes nearly all pixels that are lit,
is held to the same as a plane.

What is missing is edge as well, as its pixels get a colour that is beside them, and may be a small share. But of what
is displaced, each pixel loses what one beside it gets. So, summed with their signs over a tile of TILE_PX x TILE_PX
pixels, the differences that are not close cancel, but for what crosses the tile's rim; while a line that is missing
takes some TILE_PX pixels from a tile. Pictures agree when no tile, in no channel, has more missing, or too much, than

  what crosses its rim: the most that moving the reference by a whole pixel, in any of eight directions, makes of its
  sum; and what shapes grow or shrink by, as each side of a shape may go its own way by 1/16 pixel: MISSING_PX pixels of
  the tile's contrast. A convex shape's sides in a tile are no longer than the tile's rim, 4 TILE_PX.

Limits: what has less than MISSING_PX pixels in each tile, and what lies among so many others that a move makes as much.

Where a shader makes noise of the last bits of its inputs, no two drivers agree in any pixel; such pictures are compared
by their means over squares of 2 B + 1 pixels (B: blur).
"""
from dataclasses import dataclass
from math import inf
from pathlib import Path

from PIL import Image, ImageChops, ImageFilter, ImageStat

from .suite import data_lines

SUBPIXEL = 1 / 16          # how far two drivers' vertices may be from each other, along an axis
FEW_PIXELS = 2             # that may differ in a picture in which a move changes nothing
TILE_PX = 16
MISSING_PX = 4 * TILE_PX * SUBPIXEL
DIRECTIONS = [(x, y) for y in (-1, 0, 1) for x in (-1, 0, 1) if x or y]


@dataclass(frozen=True)
class Tolerance:
   close_lsb: int
   edge_share: float
   wrong_share: float
   blur_px: int = 0
   missing_px: float = MISSING_PX

   def __str__(self):
      return f'{self.close_lsb} LSB, edge {self.edge_share:.4%}, wrong {self.wrong_share:.4%}'


@dataclass(frozen=True)
class Verdict:
   agree: bool
   max_lsb: int
   edge_share: float
   wrong_share: float
   missing_px: float

   def __str__(self):
      return f'max {self.max_lsb} LSB, edge {self.edge_share:.4%}, wrong {self.wrong_share:.4%}, ' \
             f'missing {self.missing_px:.1f} px'


def compare(picture, reference, tolerance):
   """Judges two PIL pictures, of which alpha does not count (a window has none)."""
   if picture.size != reference.size:
      return Verdict(False, 255, 0.0, 1.0, 0.0)
   picture, reference = _as_judged(picture, tolerance), _as_judged(reference, tolerance)
   largest, edge_share, wrong_share = _classes(picture, reference, tolerance.close_lsb)
   missing = missing_px(picture, reference, tolerance.close_lsb)
   agreed = edge_share <= tolerance.edge_share and wrong_share <= tolerance.wrong_share \
      and missing <= tolerance.missing_px
   return Verdict(agreed, largest, edge_share, wrong_share, missing)


def agree(picture, reference, tolerance):
   """Whether two pictures of one size agree: what compare() says, but tiles, which take long, are looked at only where
   the shares allow it."""
   picture, reference = _as_judged(picture, tolerance), _as_judged(reference, tolerance)
   _, edge_share, wrong_share = _classes(picture, reference, tolerance.close_lsb)
   return edge_share <= tolerance.edge_share and wrong_share <= tolerance.wrong_share \
      and missing_px(picture, reference, tolerance.close_lsb) <= tolerance.missing_px


def missing_px(picture, reference, close_lsb):
   """How many pixels of its contrast the worst tile has too few or too many, beyond what moving the reference by a
   pixel makes of it. Tiles lie in two grids, so that a line along the rim of one lies within another."""
   return max(_missing_px(picture, reference, close_lsb, start) for start in (1, 1 + TILE_PX // 2))


def of_subpixels(reference, close_lsb):
   """The tolerance that follows from a reference: per axis SUBPIXEL of what a move by one pixel makes edge, and wrong.
   Where two edges are within a pixel, one that moves may leave a pixel with a colour that none beside it has, which is
   wrong: in SUBPIXEL of the edge's pixels."""
   inside = _inner(reference)
   moves = [_classes(_inner(moved(reference, *by)), inside, close_lsb) for by in ((-1, 0), (1, 0), (0, -1), (0, 1))]
   few = FEW_PIXELS / (reference.size[0] * reference.size[1])
   edge = SUBPIXEL * sum(edges for _, edges, _ in moves) / 2   # the mean of both ways, of both axes
   wrong = SUBPIXEL * (sum(wrongs for _, _, wrongs in moves) / 2 + edge)
   return Tolerance(close_lsb, edge + few, wrong + few)


def moved(picture, x_px, y_px):
   """The picture, moved; what comes in at its rim is black."""
   return picture.transform(picture.size, Image.Transform.AFFINE, (1, 0, -x_px, 0, 1, -y_px))


def agreeing_moves(picture, reference, tolerance):
   """Those of the DIRECTIONS in which the picture, moved by one pixel, agrees with the reference too: there should be
   none."""
   inside = _inner(reference)
   return [by for by in DIRECTIONS if agree(_inner(moved(picture, *by)), inside, tolerance)]


def check_moved(suite, name, picture, reference, tolerance):
   """A case of the suite: the guard of a tolerance, that no move by a pixel agrees within it."""
   agreeing = agreeing_moves(picture, reference, tolerance)
   suite.check(f'{name} moved by a pixel', not agreeing, f'agrees if moved by {agreeing}' if agreeing else '')


def displacement_px(picture, reference):
   """How far the picture as a whole is from its place, along each axis: where the parabola through the squared
   differences at moves of -1, 0 and 1 pixels has its least; None where these say nothing, or a move by a pixel is
   better than none."""
   def axis(x, y):
      less, here, more = (_squared_difference(_inner(moved(picture, i * x, i * y)), _inner(reference))
                          for i in (-1, 0, 1))
      return (more - less) / (2 * (less + more - 2 * here)) if here < min(less, more) else None
   return axis(1, 0), axis(0, 1)


def compare_files(pairs, tolerance):
   """Judges [(path of a picture, path of its reference)]. Returns ([verdict], [names of pictures that are blank])."""
   verdicts, blank = [], []
   for path, reference_path in pairs:
      with Image.open(path) as picture, Image.open(reference_path) as reference:
         verdicts.append(compare(picture, reference, tolerance))
         if is_blank(picture):
            blank.append(Path(path).name)
   return verdicts, blank


def worst(verdicts):
   """The verdict that says most against the pictures."""
   return max(verdicts, key=lambda v: (not v.agree, v.wrong_share, v.edge_share, v.max_lsb))


def difference_picture(picture, reference, gain=8):
   """The absolute difference times `gain`, to look at."""
   difference = ImageChops.difference(picture.convert('RGB'), reference.convert('RGB'))
   return difference.point(lambda lsb: min(255, lsb * gain))


def is_blank(picture):
   """Whether all pixels have one colour."""
   return all(low == high for low, high in picture.convert('RGB').getextrema())


def read_tolerances(path: Path):
   """{name: Tolerance} of a data file with lines `name T E% W% B MISSING`, MISSING being `seen`, or `open` where a tile
   may have any sum; the name 'default' stands for all others."""
   missing_px = {'seen': MISSING_PX, 'open': inf}
   tolerances = {}
   for line in data_lines(path):
      name, close, edge, wrong, blur, missing = line.split()
      tolerances[name] = Tolerance(int(close), float(edge.rstrip('%')) / 100, float(wrong.rstrip('%')) / 100, int(blur),
                                   missing_px[missing])
   return tolerances


def _as_judged(picture, tolerance):
   picture = picture.convert('RGB')
   return picture.filter(ImageFilter.BoxBlur(tolerance.blur_px)) if tolerance.blur_px else picture


def _classes(picture, reference, close_lsb):
   """The largest difference, and the shares of edge and wrong."""
   difference = _max_channel(ImageChops.difference(picture, reference))
   far = _above(difference, close_lsb)
   low, high = reference.filter(ImageFilter.MinFilter(3)), reference.filter(ImageFilter.MaxFilter(3))
   beyond = ImageChops.lighter(ImageChops.subtract(picture, high), ImageChops.subtract(low, picture))
   wrong = ImageChops.darker(far, _above(_max_channel(beyond), close_lsb))

   pixels = picture.size[0] * picture.size[1]
   wrong_share = _count(wrong) / pixels
   return difference.getextrema()[1], _count(far) / pixels - wrong_share, wrong_share


def _missing_px(picture, reference, close_lsb, start):
   """The same of one grid: the first tile begins `start` pixels from the corner. The rim, into which moves bring
   nothing, is left out."""
   def inside(p):
      return p.crop((start, start, p.size[0] - 1, p.size[1] - 1))
   here = inside(reference)
   found = _tile_sums(inside(picture), here, close_lsb)
   if not any(map(any, found)):
      return 0.0
   moves = [_tile_sums(inside(moved(reference, *by)), here, close_lsb) for by in DIRECTIONS]
   worst = 0.0
   for tile, channels in enumerate(found):
      over = max(abs(s) - max(abs(move[tile][i]) for move in moves) for i, s in enumerate(channels))
      if over > 0:
         worst = max(worst, over / _contrast(tile, inside(picture), here))
   return worst


def _tile_sums(picture, reference, close_lsb):
   """[(red, green, blue)] of tiles in rows: the sums of the differences that are not close, with their signs."""
   def sums(more, less):
      far = ImageChops.subtract(more, less).point(lambda lsb: lsb if lsb > close_lsb else 0)
      whole = far.crop((0, 0, *(_tiles(length) * TILE_PX for length in far.size)))   # black beyond the picture
      means = (channel.convert('F').reduce(TILE_PX).getdata() for channel in whole.split())
      return zip(*means)
   return [[(g - l) * TILE_PX ** 2 for g, l in zip(gained, lost)]
           for gained, lost in zip(sums(picture, reference), sums(reference, picture))]


def _contrast(tile, *pictures):
   """The range of values that the pictures have in the tile of this number, in the channel where it is largest."""
   y, x = divmod(tile, _tiles(pictures[0].size[0]))
   box = (x * TILE_PX, y * TILE_PX, min((x + 1) * TILE_PX, pictures[0].size[0]),
          min((y + 1) * TILE_PX, pictures[0].size[1]))
   ranges = zip(*(p.crop(box).getextrema() for p in pictures))
   return max(max(high for _, high in channel) - min(low for low, _ in channel) for channel in ranges)


def _tiles(length_px):
   return -(-length_px // TILE_PX)


def _inner(picture):
   """Without its rim of one pixel, in which a moved picture has nothing."""
   return picture.convert('RGB').crop((1, 1, picture.size[0] - 1, picture.size[1] - 1))


def _squared_difference(picture, reference):
   return sum(ImageStat.Stat(ImageChops.difference(picture, reference)).sum2)


def _max_channel(picture):
   red, green, blue = picture.split()
   return ImageChops.lighter(ImageChops.lighter(red, green), blue)


def _above(grey, limit):
   return grey.point(lambda lsb: 255 if lsb > limit else 0)


def _count(mask):
   return mask.histogram()[255]
