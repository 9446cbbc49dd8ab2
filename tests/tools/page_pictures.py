# SPDX-License-Identifier: MIT
"""The pictures of docs/debugging.md, docs/report.md and docs/sim-report.md, made by the tools. `draw_pages` writes
them."""
import subprocess
import sys

from PIL import Image, ImageChops

import browsers
import shaders
from harness.suite import BUILD, PREBUILT, ROOT, driver_env, run, system_env

sys.path.append(str(ROOT / 'tools/shader'))
from shader_picture import difference_rgb

SCRIPTS = ('report', 'mediump', 'shader', 'sim')
SLOW = ('order', 'discard', 'branch', 'textured', 'mipmaps', 'everywhere', 'once')
CLOCK = {'LD_PRELOAD': str(PREBUILT / 'steady_clock.so'), 'STEADY_CLOCK_STEP_US': '16000', 'vblank_mode': '0'}
GAP_PX, HEIGHT_PX = 8, 240
NO_COUNT = '#ececee'        # a map's pixel without a count, as pages have it in light
SYSTEM = f'/usr/lib/{sys.implementation._multiarch}'    # before the folder that Meson built into our programs
GLOW_BOX_PX = (144, 127, 176, 151)


class Failed(Exception):
   """A tool did not do what a picture or a page needs; the text says what."""


# ---------------------------------------------------------------- the tools

def tool(word):
   """The program behind ./clipfree WORD."""
   return ROOT / 'tools' / word / word if word in SCRIPTS else BUILD / 'tools' / f'clipfree-{word}'


def said(folder, words, statuses=(0, 1, 3), typed=''):
   """What a command says, in this folder."""
   done = subprocess.run(list(map(str, words)), cwd=folder, env=driver_env(CLIPFREE_BUILD=str(BUILD)), input=typed,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, timeout=300)
   if done.returncode not in statuses:
      raise Failed(f'{" ".join(map(str, words))}: status {done.returncode}: {done.stdout[-300:]}')
   return done.stdout


def captured(folder, case):
   """NAME.cap of a case of debug_cases, or of slow_cases; `slow-NAME` is of the latter in any case."""
   path = folder / f'{case}.cap'
   is_slow = case in SLOW or case.startswith('slow-')
   program = PREBUILT / ('slow_cases' if is_slow else 'debug_cases')
   if not path.exists():
      run([program, case.removeprefix('slow-')], driver_env(CLIPFREE_CAPTURE=f'file={path},count=100'))
   if not path.exists():
      raise Failed(f'{program.name} {case} was not captured')
   return path


def scene(folder, name, *words):
   """NAME.cap of frame 20 of glmark2, the same each time."""
   path = folder / f'{name}.cap'
   run(['glmark2-es2', *words], driver_env(CLIPFREE_CAPTURE=f'file={path},frame=20', CLIPFREE_FRAMES='24', **CLOCK),
       timeout_s=120)
   if not path.exists():
      raise Failed(f'glmark2-es2 {" ".join(words)} was not captured')
   return path


# ---------------------------------------------------------------- parts of pictures

def opened(path):
   picture = Image.open(path).convert('RGBA')
   back = Image.new('RGBA', picture.size, NO_COUNT)
   back.alpha_composite(picture)
   return back.convert('RGB')


def turned(picture):
   """Of a frame buffer object, whose first row is the lowest."""
   return picture.transpose(Image.Transpose.FLIP_TOP_BOTTOM)


def replayed(folder, case, *options):
   path = folder / 'replayed.png'
   said(folder, [tool('replay'), '--png', path, *options, captured(folder, case)])
   return turned(Image.open(path).convert('RGB'))


def heat(folder, case, name):
   path = folder / 'map.png'
   said(folder, [tool('report'), '--json', '/dev/null', '--map', name, path, captured(folder, case)])
   return turned(opened(path))


def on_llvmpipe(folder, case):
   """The picture of the system's llvmpipe."""
   path = folder / f'{case}.ppm'
   run([PREBUILT / 'debug_cases', case, path], system_env(GALLIUM_DRIVER='llvmpipe', LD_LIBRARY_PATH=SYSTEM))
   if not path.exists():
      raise Failed(f'{case} was not drawn by llvmpipe')
   return Image.open(path).convert('RGB')


def enlarged(picture):
   """To the height of the others, pixel by pixel."""
   return picture.resize((picture.width * HEIGHT_PX // picture.height, HEIGHT_PX), Image.Resampling.NEAREST)


def difference(a, b):
   """Grey where pictures agree, from yellow to red where they do not."""
   bands = ImageChops.difference(a, b).split()
   worst = ImageChops.lighter(ImageChops.lighter(bands[0], bands[1]), bands[2])
   return Image.frombytes('RGB', a.size, difference_rgb(worst.tobytes(), 0))


def in_rows(*rows):
   """Pictures beside one another, and below."""
   width = max(sum(picture.width + GAP_PX for picture in row) for row in rows) - GAP_PX
   whole = Image.new('RGB', (width, sum(row[0].height + GAP_PX for row in rows) - GAP_PX), 'white')
   y = 0
   for row in rows:
      x = 0
      for picture in row:
         whole.paste(picture, (x, y))
         x += picture.width + GAP_PX
      y += row[0].height + GAP_PX
   return whole


def shot(page, width_px, height_px):
   """A page in the browser."""
   if not browsers.program():
      raise Failed(f'neither {" nor ".join(browsers.PROGRAMS)} is installed')
   path = page.with_suffix('.png')
   browsers.shot(page, path, width_px, height_px)
   if not path.exists():
      raise Failed(f'{page} was not shown')
   return Image.open(path).convert('RGB')


# ---------------------------------------------------------------- the pictures

def draw_triangle(folder):
   return in_rows([replayed(folder, case) for case in ('right', 'culled', 'depth', 'number')])


def draw_colour(folder):
   return in_rows([replayed(folder, case) for case in ('right', 'texture', 'paint')])


def draw_stepping(folder):
   return in_rows([replayed(folder, 'map'), enlarged(replayed(folder, 'map', '--draw', '0'))])


def draw_nan(folder):
   before = replayed(folder, 'glow', '--draw', '1')
   return in_rows([replayed(folder, 'glow'), enlarged(before.crop(GLOW_BOX_PX))])


def draw_phone(folder):
   said(folder, [tool('mediump'), '--png', 'phone-', captured(folder, 'phone')])
   found = [turned(opened(folder / f'phone-{name}.png')) for name in ('highp', 'mediump', 'difference', 'places')]
   return in_rows(found[:2], found[2:])


def draw_drivers(folder):
   ours, theirs = replayed(folder, 'wake'), on_llvmpipe(folder, 'wake')
   return in_rows([ours, theirs, difference(ours, theirs)])


def draw_broken(folder):
   shaders.write_broken(folder / 'broken', 'dead')
   said(folder, [tool('shader'), 'bisect', '--compiler', './broken', '--png', 'ship-', captured(folder, 'right')])
   wrong, right = (turned(opened(folder / f'ship-{name}.png')) for name in ('with', 'without-dead'))
   return in_rows([wrong, right, difference(wrong, right)])


def draw_slow(folder):
   return in_rows([replayed(folder, 'slow-right'), heat(folder, 'slow-right', 'overdraw'),
                   heat(folder, 'slow-right', 'rejected_depth'), heat(folder, 'branch', 'divergence')])


def draw_slow_line(folder):
   """The program that costs most, of the report's page."""
   page = folder / 'everywhere.html'
   said(folder, [tool('report'), '-o', page, captured(folder, 'everywhere')])
   alone = browsers.with_script(page, 'document.body.replaceChildren(document.querySelector("details.program"))')
   return shot(alone, 1240, 680)


def draw_report(folder):
   scene(folder, 'refract', '-s', '800x600', '-b', 'refract:duration=20')
   said(folder, [tool('report'), '-o', 'refract.html', 'refract.cap'])
   return shot(folder / 'refract.html', 1280, 1500)


def draw_sim_report(folder):
   scene(folder, 'texture-cat', '-s', '400x300', '-b', 'texture:model=cat:duration=20')
   machines = [word for name in ('paper-a', 'combined') for word in ('--machine', name)]
   said(folder, [tool('sim'), 'report', *machines, '-o', 'cat.html', 'texture-cat.cap'])
   return shot(folder / 'cat.html', 1280, 3000)


# {file in docs/: how it is drawn}
PICTURES = {'triangle.png': draw_triangle, 'colour.png': draw_colour, 'stepping.png': draw_stepping,
            'nan.png': draw_nan, 'phone.png': draw_phone, 'drivers.png': draw_drivers, 'broken.png': draw_broken,
            'slow.png': draw_slow, 'slow-line.png': draw_slow_line, 'report.png': draw_report,
            'sim-report.png': draw_sim_report}
# Those in which a browser's fonts are, whose pixels are not the same everywhere; and that which another driver drew.
OF_BROWSER = ('slow-line.png', 'report.png', 'sim-report.png')
OF_DRIVERS = 'drivers.png'
