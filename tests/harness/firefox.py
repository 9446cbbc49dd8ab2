# SPDX-License-Identifier: MIT
"""Firefox, unmodified, with a page of WebGL. The page comes from a server of this process and sends back what it drew:
no screenshot, no waiting for a guessed time."""
import base64
import http.server
import io
import json
import os
import shutil
import signal
import subprocess
import threading

from PIL import Image

PROGRAM = 'firefox-esr'
TIMEOUT_S = 60

# A profile without first-run pages and requests to the network, with WebGL on any driver, which says its name.
PREFERENCES = {
   'webgl.force-enabled': 'true', 'webgl.sanitize-unmasked-renderer': 'false', 'gfx.x11-egl.force-enabled': 'true',
   'browser.shell.checkDefaultBrowser': 'false', 'browser.aboutwelcome.enabled': 'false', 'app.update.auto': 'false',
   'browser.startup.homepage_override.mstone': '"ignore"', 'datareporting.policy.dataSubmissionEnabled': 'false',
   'network.captive-portal-service.enabled': 'false', 'network.connectivity-service.enabled': 'false',
}

# A triangle over the lower left half of a blue canvas, its colour sampled from a texture of one texel.
PAGE = """<canvas id="canvas" width="64" height="64"></canvas><script>
var gl = canvas.getContext("webgl", { preserveDrawingBuffer: true, antialias: false }), result = { };
function add(program, type, source) {
   var shader = gl.createShader(type);
   gl.shaderSource(shader, source); gl.compileShader(shader); gl.attachShader(program, shader);
}
function draw() {
   var info = gl.getExtension("WEBGL_debug_renderer_info"), program = gl.createProgram();
   result.renderer = gl.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER);
   gl.clearColor(0, 0, 1, 1); gl.clear(gl.COLOR_BUFFER_BIT);
   add(program, gl.VERTEX_SHADER, "attribute vec2 place; void main() { gl_Position = vec4(place, 0, 1); }");
   add(program, gl.FRAGMENT_SHADER, "uniform sampler2D s; void main() { gl_FragColor = texture2D(s, vec2(0.5)); }");
   gl.linkProgram(program); gl.useProgram(program);
   gl.bindTexture(gl.TEXTURE_2D, gl.createTexture());
   gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
   gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, 1, 1, 0, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array([255, 128, 0, 255]));
   gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
   gl.bufferData(gl.ARRAY_BUFFER, new Float32Array([-1, -1, 1, -1, -1, 1]), gl.STATIC_DRAW);
   gl.enableVertexAttribArray(0); gl.vertexAttribPointer(0, 2, gl.FLOAT, false, 0, 0);
   gl.drawArrays(gl.TRIANGLES, 0, 3);
   result.error = gl.getError(); result.picture = canvas.toDataURL();
}
try { if (gl) draw(); } catch (exception) { result.exception = String(exception); }
fetch("/result", { method: "POST", body: JSON.stringify(result) });
</script>"""
ABOVE, BELOW = (0, 0, 255, 255), (255, 128, 0, 255)


class _Handler(http.server.BaseHTTPRequestHandler):
   def do_GET(self):
      self.send_response(200 if self.path == '/' else 404)
      self.send_header('Content-Type', 'text/html')
      self.end_headers()
      if self.path == '/':
         self.wfile.write(PAGE.encode())

   def do_POST(self):
      self.server.result = json.loads(self.rfile.read(int(self.headers['Content-Length'])))
      self.send_response(204)
      self.end_headers()
      self.server.done.set()

   def log_message(self, *_):
      pass


def _fault(picture):
   """What is wrong with the picture of the page: '' if nothing is."""
   if picture.size != (64, 64):
      return f'a canvas of {picture.size}'
   for place, wanted in (((50, 10), ABOVE), ((5, 20), BELOW), ((10, 50), BELOW), ((60, 20), ABOVE)):
      if picture.getpixel(place) != wanted:
         return f'pixel {place} is {picture.getpixel(place)}, not {wanted}'
   return ''


def draw_webgl(folder, env):
   """Runs Firefox with a fresh profile in `folder`. Returns (renderer that WebGL names, what is wrong or '')."""
   shutil.rmtree(folder, ignore_errors=True)
   folder.mkdir(parents=True)
   lines = (f'user_pref("{name}", {value});\n' for name, value in PREFERENCES.items())
   (folder / 'user.js').write_text(''.join(lines))
   with http.server.ThreadingHTTPServer(('127.0.0.1', 0), _Handler) as server, open(folder / 'log', 'wb') as log:
      server.done, server.result = threading.Event(), {}
      threading.Thread(target=server.serve_forever, daemon=True).start()
      command = [PROGRAM, '--no-remote', '--new-instance', '--profile', folder,
                 f'http://127.0.0.1:{server.server_port}/']
      browser = subprocess.Popen(command, env=env, stdout=log, stderr=log, start_new_session=True)
      try:
         done = server.done.wait(TIMEOUT_S)
      finally:
         os.killpg(browser.pid, signal.SIGKILL)
         browser.wait()
         server.shutdown()
   result = server.result
   if 'exception' in result:
      return '', f'the page stopped: {result["exception"]}'
   if not done or 'picture' not in result:
      return '', 'the page has no WebGL' if done else f'no answer in {TIMEOUT_S} s; see {folder / "log"}'
   with Image.open(io.BytesIO(base64.b64decode(result['picture'].split(',')[1]))) as picture:
      fault = _fault(picture.convert('RGBA'))
   return result['renderer'], fault or (f'WebGL has error {result["error"]}' if result['error'] else '')
