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
(SUBPIXEL_BITS, GL 2.1 section 6.2), so a vertex is off by half of 1/16 pixel at most, and two drivers' pictures by 1/16. A
move by 1/16 changes 1/16 of the pixels that a move by one pixel changes, which the reference itself tells. So a picture
that is moved by a pixel never agrees, and a wire frame, in which a move changes nearly all pixels that are lit, is held to
the same as a plane.

Where a shader makes noise of the last bits of its inputs, no two drivers agree in any pixel; such pictures are compared
by their means over squares of 2 B + 1 pixels (B: blur).
"""
from dataclasses import dataclass
from pathlib import Path

from PIL import Image, ImageChops, ImageFilter, ImageStat

from .suite import data_lines

SUBPIXEL = 1 / 16          # how far two drivers' vertices may be from each other, along an axis
FEW_PIXELS = 2             # that may differ in a picture in which a move changes nothing
DIRECTIONS = [(x, y) for y in (-1, 0, 1) for x in (-1, 0, 1) if x or y]


@dataclass(frozen=True)
class Tolerance:
   close_lsb: int
   edge_share: float
   wrong_share: float
   blur_px: int = 0

   def __str__(self):
      return f'{self.close_lsb} LSB, edge {self.edge_share:.4%}, wrong {self.wrong_share:.4%}'


@dataclass(frozen=True)
class Verdict:
   agree: bool
   max_lsb: int
   edge_share: float
   wrong_share: float

   def __str__(self):
      return f'max {self.max_lsb} LSB, edge {self.edge_share:.4%}, wrong {self.wrong_share:.4%}'


def compare(picture, reference, tolerance):
   """Judges two PIL pictures, of which alpha does not count (a window has none)."""
   picture, reference = picture.convert('RGB'), reference.convert('RGB')
   if picture.size != reference.size:
      return Verdict(False, 255, 0.0, 1.0)
   if tolerance.blur_px:
      blur = ImageFilter.BoxBlur(tolerance.blur_px)
      picture, reference = picture.filter(blur), reference.filter(blur)
   t = tolerance.close_lsb
   difference = _max_channel(ImageChops.difference(picture, reference))
   far = _above(difference, t)
   low, high = reference.filter(ImageFilter.MinFilter(3)), reference.filter(ImageFilter.MaxFilter(3))
   beyond = ImageChops.lighter(ImageChops.subtract(picture, high), ImageChops.subtract(low, picture))
   wrong = ImageChops.darker(far, _above(_max_channel(beyond), t))

   pixels = picture.size[0] * picture.size[1]
   wrong_share = _count(wrong) / pixels
   edge_share = _count(far) / pixels - wrong_share
   agree = edge_share <= tolerance.edge_share and wrong_share <= tolerance.wrong_share
   return Verdict(agree, difference.getextrema()[1], edge_share, wrong_share)


def of_subpixels(reference, close_lsb):
   """The tolerance that follows from a reference: per axis SUBPIXEL of what a move by one pixel makes edge, and wrong. Where
   two edges are within a pixel, one that moves may leave a pixel with a colour that none beside it has, which is wrong: in
   SUBPIXEL of the edge's pixels. Limit: a line that is not there is edge as well; it is seen if it is a larger share."""
   everything = Tolerance(close_lsb, 1, 1)
   inside = _inner(reference)
   verdicts = [compare(_inner(moved(reference, *by)), inside, everything) for by in ((-1, 0), (1, 0), (0, -1), (0, 1))]
   few = FEW_PIXELS / (reference.size[0] * reference.size[1])
   edge = SUBPIXEL * sum(v.edge_share for v in verdicts) / 2   # the mean of both ways, of both axes
   wrong = SUBPIXEL * (sum(v.wrong_share for v in verdicts) / 2 + edge)
   return Tolerance(close_lsb, edge + few, wrong + few)


def moved(picture, x_px, y_px):
   """The picture, moved; what comes in at its rim is black."""
   return picture.transform(picture.size, Image.Transform.AFFINE, (1, 0, -x_px, 0, 1, -y_px))


def agreeing_moves(picture, reference, tolerance):
   """Those of the DIRECTIONS in which the picture, moved by one pixel, agrees with the reference too: there should be none."""
   inside = _inner(reference)
   return [by for by in DIRECTIONS if compare(_inner(moved(picture, *by)), inside, tolerance).agree]


def displacement_px(picture, reference):
   """How far the picture as a whole is from its place, along each axis: where the parabola through the squared differences at
   moves of -1, 0 and 1 pixels has its least; None where these say nothing, or a move by a pixel is better than none."""
   def axis(x, y):
      less, here, more = (_squared_difference(_inner(moved(picture, i * x, i * y)), _inner(reference)) for i in (-1, 0, 1))
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
   """{name: Tolerance} of a data file with lines `name T E% W% B`; the name 'default' stands for all others."""
   tolerances = {}
   for line in data_lines(path):
      name, close, edge, wrong, blur = line.split()
      tolerances[name] = Tolerance(int(close), float(edge.rstrip('%')) / 100, float(wrong.rstrip('%')) / 100, int(blur))
   return tolerances


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
