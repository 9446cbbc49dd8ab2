# SPDX-License-Identifier: MIT
"""Pages of WebGL for chromium.py and firefox.py: a server of this process, and what became of a page."""
import contextlib
import http.server
import threading
from dataclasses import dataclass
from pathlib import Path


class BrowserError(Exception):
   """The browser did not do what it was asked for."""


@dataclass
class Shown:
   """What became of a page: what page.js found, what the console says, and the screenshot as a PNG."""
   result: dict
   console: list
   png: bytes


class Pages:
   """A server of pages on this machine: `address` of each. A page /NAME is the script NAME.js of a folder, after
   page.js; /lib/ holds the libraries. `on_mark` is called whenever a page asks for /mark, which waits for it. A context
   manager."""

   def __init__(self, scripts, libraries):
      self.roots = {'pages': Path(scripts), 'lib': Path(libraries)}
      self.on_mark = lambda: None

   def __enter__(self):
      pages = self
      class Handler(_Handler):
         """Of these pages."""
         folders = pages.roots

         def mark(self):
            pages.on_mark()
      self.server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
      threading.Thread(target=self.server.serve_forever, daemon=True).start()
      return self

   def __exit__(self, *_):
      self.server.shutdown()
      self.server.server_close()

   def address(self, name, query=''):
      return f'http://127.0.0.1:{self.server.server_port}/{name}?{query}'


class _Handler(http.server.BaseHTTPRequestHandler):
   TYPES = {'.js': 'text/javascript', '.json': 'application/json'}
   HTML = """<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,">
<style>html, body {{ margin: 0; overflow: hidden; background: #000 }} canvas {{ display: block }}</style>
<body><script src="/pages/page.js"></script>
<script type="importmap">{{ "imports": {{ "three": "/lib/three/build/three.module.js",
"three/addons/": "/lib/three/examples/jsm/" }} }}</script>{library}
<canvas id="canvas"></canvas><script>canvas.width = innerWidth; canvas.height = innerHeight;</script>
<script type="module" src="/pages/{name}.js"></script>"""

   def do_GET(self):
      first, _, rest = self.path.split('?')[0].lstrip('/').partition('/')
      library = '<script src="/lib/babylonjs/babylon.js"></script>' if first.startswith('babylon') else ''
      if first == 'mark':
         self.mark()
         return self._answer(b'', 'text/plain')
      if not rest:
         return self._answer(self.HTML.format(name=first, library=library).encode(), 'text/html')
      path = (self.folders.get(first, Path('/nonexistent')) / rest).resolve()
      if not path.is_file() or not path.is_relative_to(self.folders[first].resolve()):
         return self.send_error(404)
      return self._answer(path.read_bytes(), self.TYPES.get(path.suffix, 'application/octet-stream'))

   def _answer(self, body, kind):
      with contextlib.suppress(ConnectionError):   # the browser was ended
         self.send_response(200)
         self.send_header('Content-Type', kind)
         self.send_header('Content-Length', str(len(body)))
         self.end_headers()
         self.wfile.write(body)

   def log_message(self, *_):
      pass
