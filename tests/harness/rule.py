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

Where a shader makes noise of the last bits of its inputs, no two drivers agree in any pixel; such pictures are compared
by their means over squares of 2 B + 1 pixels (B: blur).
"""
from dataclasses import dataclass
from pathlib import Path

from PIL import Image, ImageChops, ImageFilter

from .suite import data_lines


@dataclass(frozen=True)
class Tolerance:
   close_lsb: int
   edge_share: float
   wrong_share: float
   blur_px: int = 0


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


def _max_channel(picture):
   red, green, blue = picture.split()
   return ImageChops.lighter(ImageChops.lighter(red, green), blue)


def _above(grey, limit):
   return grey.point(lambda lsb: 255 if lsb > limit else 0)


def _count(mask):
   return mask.histogram()[255]
