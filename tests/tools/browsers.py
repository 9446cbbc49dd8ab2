# SPDX-License-Identifier: MIT
"""Pages that tools make, in a browser, of suite `tools`: whether one looks right, light and dark, narrow and wide."""
import html
import json
import re
import shutil
from pathlib import Path

from PIL import Image, ImageChops

from harness.suite import driver_env, run

PROGRAMS = ('chromium-headless-shell', 'chromium')
WIDTHS_PX, HEIGHT_PX = (1280, 2560), 1600
PROBE = (Path(__file__).resolve().parent / 'page_probe.js').read_text()
NO_SCRIPTS = """<meta http-equiv="Content-Security-Policy" content="script-src 'none'">"""
MOST_WITHOUT = 0.05              # of the pixels that scripts may change before anything is pressed
RATIO, LARGE_RATIO = 4.5, 3      # least contrast of texts, and of large ones: WCAG 2.1, 1.4.3


def program():
   """The browser's path; None: none is installed."""
   return next(filter(None, map(shutil.which, PROGRAMS)), None)


def browsed(page, width_px, height_px, dark, *words):
   """What the browser says of a page in a window of this size."""
   options = ['--headless', '--no-sandbox', '--disable-gpu', '--hide-scrollbars', '--enable-logging=stderr',
              '--force-device-scale-factor=1', '--virtual-time-budget=5000', f'--window-size={width_px},{height_px}',
              f'--blink-settings=preferredColorScheme={0 if dark else 1}']
   return run([program(), *options, *words, page.resolve().as_uri()], driver_env(), timeout_s=120).output


def shot(page, path, width_px, height_px, dark=False):
   """Writes a screenshot, with all pictures. Returns what the browser says."""
   path.unlink(missing_ok=True)
   waiting = page.with_name(f'{page.stem}-waiting.html')
   waiting.write_text(page.read_text().replace('decoding="async"', 'decoding="sync"'))
   return browsed(waiting, width_px, height_px, dark, f'--screenshot={path}')


def with_script(page, script):
   """A copy of the page, beside it, that runs a script when it is there."""
   copy = page.with_name(f'{page.stem}-probed.html')
   copy.write_text(page.read_text().replace('</body>', f'<script>{script}</script></body>'))
   return copy


def blank(picture, boxes):
   """Of the boxes of pictures in a screenshot: how many have one colour."""
   return sum(picture.crop(box).getcolors(1) is not None for box in boxes)


def unreadable(texts):
   """Of [text, contrast, whether it is large]: those with too little."""
   return [f'{text!r} {ratio:.2f}' for text, ratio, large in texts if ratio < (LARGE_RATIO if large else RATIO)]


def wrong_in_window(page, width_px, dark, rows, column):
   """What is wrong with a page in a window of this width, and its screenshot; nothing: ''. rows: how many its sortable
   tables have; column: the head of one by which the first of them is sorted."""
   name = f'{page.stem}-{width_px}-{"dark" if dark else "light"}.png'
   probed = with_script(page, PROBE.replace('COLUMN', column))
   said = shot(page, page.with_name(name), width_px, HEIGHT_PX, dark)
   dom = browsed(probed, width_px, HEIGHT_PX, dark, '--dump-dom')
   found = re.search(r'data-probe="([^"]*)"', dom)
   if not found or not page.with_name(name).exists():
      return 'it was not shown'
   seen = json.loads(html.unescape(found[1]))
   with Image.open(page.with_name(name)) as picture:
      size, colors = picture.size, picture.convert('RGB').getcolors(1 << 24)
      corner = picture.convert('RGB').getpixel((2, 2))
      without = blank(picture.convert('RGB'), seen['boxes'])
   messages = [line[:200] for line in (said + dom).splitlines() if 'CONSOLE' in line]
   wrong = {f'wider than the window by {seen["wider"]}': seen['wider'] > 0,
            f'texts are cut: {seen["cut"][:3]}': seen['cut'], f'pictures are broken: {seen["broken"]}': seen['broken'],
            f'{without} of {len(seen["boxes"])} pictures are blank': without > len(seen['boxes']) // 2,
            f'{seen["rows"]} rows': seen['rows'] != rows,
            f'not sorted: {seen["sorts"]}': seen['sorts'] != [True, False],
            f'unreadable: {unreadable(seen["texts"])[:3]}': unreadable(seen['texts']),
            f'only {seen["count"]} texts': seen['count'] < 50, f'messages: {messages[:2]}': messages,
            f'blank: {len(colors or [])} colours of {size}': size != (width_px, HEIGHT_PX) or len(colors or []) < 200,
            'the other colours': seen['dark'] != dark or (sum(corner) < 384) != dark}
   return ', '.join(text for text, is_so in wrong.items() if is_so)


def wrong_without_scripts(page, rows):
   """What is wrong with a page where scripts do not run: all rows of its tables and all its pictures are in it, and it
   looks nearly as with them, but for what is behind buttons; nothing: ''."""
   width_px = WIDTHS_PX[0]
   probed = with_script(page, 'document.body.dataset.ran = 1')
   bare = page.with_name(f'{page.stem}-bare.html')
   bare.write_text(probed.read_text().replace('<head>', f'<head>{NO_SCRIPTS}', 1))
   said = browsed(bare, width_px, HEIGHT_PX, False, '--dump-dom')
   paths = [page.with_name(f'{page.stem}-{kind}.png') for kind in ('without', 'scripts')]
   for of, path in zip((bare, page), paths):
      shot(of, path, width_px, HEIGHT_PX)
   if not all(path.exists() for path in paths):
      return 'it was not shown'
   pictures = [Image.open(path).convert('RGB') for path in paths]
   differing = ImageChops.difference(*pictures).convert('L').point(lambda value: value and 255)
   share = differing.histogram()[255] / (width_px * HEIGHT_PX)
   body = said.split('<body', 1)[-1]
   wrong = {'scripts ran': 'data-ran' in said, f'{body.count("<tr")} rows': body.count('<tr') < rows,
            f'{body.count("<img")} pictures': body.count('<img') != page.read_text().count('<img') or '<img' not in body,
            f'{100 * share:.1f} % of the pixels differ': share > MOST_WITHOUT}
   return ', '.join(text for text, is_so in wrong.items() if is_so)


def check_page(suite, name, page, rows, column):
   """In both widths, light and dark. page: its path, or None, with why in `rows`."""
   for width_px in WIDTHS_PX:
      for dark in (False, True):
         wrong = wrong_in_window(page, width_px, dark, rows, column) if page else rows
         suite.check(f'{name} {width_px} {"dark" if dark else "light"}', not wrong, wrong)
   wrong = wrong_without_scripts(page, rows) if page else rows
   suite.check(f'{name} without JavaScript', not wrong, wrong)
