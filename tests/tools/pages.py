# SPDX-License-Identifier: MIT
"""Pages about cases, of suite `tools`: in docs/debugging.md each has a picture and commands, which say what the page
says; pictures of docs are what the tools draw (page_pictures.py)."""
import html
import re
import shlex
from dataclasses import dataclass, field

from PIL import Image, ImageChops

import browsers
import shaders
from harness.suite import ROOT
from page_pictures import HEIGHT_PX, OF_BROWSER, OF_DRIVERS, PICTURES, Failed, captured, said, tool

DOCS = ROOT / 'docs'
PAGE = DOCS / 'debugging.md'
TITLES = ('My triangle is not there', 'This pixel has the wrong colour', 'Step back to who wrote this', 'NaN somewhere',
          'Works here, not on a phone', 'Two drivers differ', 'A compiler pass broke a picture', 'My frame is slow',
          'Which line is slow')
LINKED = re.compile(r'!\[[^\]]+\]\(([\w.-]+)\)')
WIDTH_PX, DIFFERENT_PX = 320, 500      # of a case; of two drivers, at least
LONG_LINE, MOST_WORDS = 120, 700       # of a page, that it can be read in five minutes


@dataclass
class Session:
   """A command of a page, what is typed, and what it says; '...' stands for anything."""
   command: str
   typed: list = field(default_factory=list)
   lines: list = field(default_factory=list)


def pages():
   """{title: text}"""
   parts = re.split(r'^## (.*)$', PAGE.read_text(), flags=re.M)
   return dict(zip(parts[1::2], parts[2::2]))


def sessions(text):
   """Commands of the blocks of a page: `$ COMMAND`, `> what is typed`, and what is said. A block that begins with what
   is typed goes on with the one before."""
   found = []
   for block in re.findall(r'^```\n(.*?)^```$', text, re.M | re.S):
      for line in block.splitlines():
         if line.startswith('$ '):
            found.append(Session(line[2:]))
         elif line.startswith('> ') and found:
            found[-1].typed.append(line[2:])
         elif found:
            found[-1].lines.append(line)
   return found


def plain(text):
   """As words with one space between; where something is in memory does not matter."""
   return re.sub(r'\b(packet \w+|image) 0x[0-9a-f]+', r'\1 0x', ' '.join(text.replace('\u202f', ' ').split()))


def shown_page(path):
   """The text of a page of HTML."""
   body = re.sub(r'<(style|script)>.*?</\1>', ' ', path.read_text(), flags=re.S)
   return html.unescape(re.sub(r'<[^>]*>', ' ', body))


def run_session(folder, session):
   """What its command says, or the page that it makes: only some lines of a page are quoted."""
   words = shlex.split(session.command)
   for word in words:
      if word.endswith('.cap'):
         captured(folder, word.removesuffix('.cap'))
   text = said(folder, [tool(words[1]), *words[2:]], typed='\n'.join(session.typed))
   pages_made = [word for word in words if word.endswith('.html')]
   return shown_page(folder / pages_made[0]) if pages_made else text


def missing(session, text):
   """The first part of what it should say that it does not say in this order; None: it says all."""
   by_line = '.html' in session.command or session.typed
   joined = '...'.join(session.lines) if by_line else ' '.join(session.lines)
   at, text = 0, plain(text)
   for part in filter(None, map(plain, joined.split('...'))):
      at = text.find(part, at)
      if at < 0:
         return part
      at += len(part)
   return None


def check_commands(suite, folder, title):
   shaders.write_broken(folder / 'broken', 'dead')
   found = sessions(pages().get(title, ''))
   for session in found:
      try:
         text = run_session(folder, session)
         lacks = missing(session, text)
      except Failed as failed:
         text, lacks = '', str(failed)
      suite.check(f'page {title}: {session.command}', lacks is None and (session.lines or text == ''),
                  f'it does not say: {lacks}: {plain(text)[:300]}' if lacks else '')
   shown = LINKED.findall(pages().get(title, ''))
   suite.check(f'page {title}', found and (shown or title not in TITLES), f'{len(found)} commands, pictures {shown}')


def check_text(suite, _):
   """All pages are there and short; all pictures are known, and shown."""
   found = pages()
   lacking = [title for title in TITLES if title not in found]
   long = {title: len(found[title].split()) for title in TITLES if len(found.get(title, '').split()) > MOST_WORDS}
   suite.check('page texts', not lacking and not long, f'missing {lacking}, long {long}')
   linked = {name for page in ('debugging', 'report', 'sim-report') for name in
             LINKED.findall((DOCS / f'{page}.md').read_text())}
   suite.check('page texts: pictures', linked == set(PICTURES), str(linked ^ set(PICTURES)))


def check_picture(suite, folder, name):
   """Drawn anew it is what is there; of a browser's fonts only the size is the same everywhere. Another driver's part
   differs from ours, whatever that driver is."""
   if name in OF_BROWSER and not browsers.program():
      suite.skip(f'page picture {name}', f'neither {" nor ".join(browsers.PROGRAMS)} is installed')
      return
   there = Image.open(DOCS / name).convert('RGB')
   try:
      drawn = PICTURES[name](folder)
   except Failed as failed:
      suite.check(f'page picture {name}', False, str(failed))
      return
   same = there.size == drawn.size
   box = (0, 0, WIDTH_PX, HEIGHT_PX) if name == OF_DRIVERS else (0, 0, *there.size)
   if same and name not in OF_BROWSER:
      same = ImageChops.difference(there.crop(box), drawn.crop(box)).getbbox() is None
   suite.check(f'page picture {name}', same, f'{there.size}, drawn {drawn.size}')
   if name == OF_DRIVERS:
      left, right = (drawn.crop((x, 0, x + WIDTH_PX, HEIGHT_PX)) for x in (0, drawn.width // 3 + 3))
      differ = ImageChops.difference(left, right).convert('L').point(lambda value: 255 * (value > 0))
      count = differ.histogram()[255]
      suite.check('page picture of two drivers', count > DIFFERENT_PX, f'{count} pixels differ')


def names():
   return ['page texts', *(f'page {title}' for title in pages()), *(f'page picture {name}' for name in PICTURES)]


def check(suite, folder, name):
   """One of names()."""
   if name == 'page texts':
      check_text(suite, folder)
   elif name.startswith('page picture '):
      check_picture(suite, folder, name.removeprefix('page picture '))
   else:
      check_commands(suite, folder, name.removeprefix('page '))
