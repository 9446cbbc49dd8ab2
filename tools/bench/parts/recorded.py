# SPDX-License-Identifier: MIT
"""The programs that part `programs` records: how each is started, and what it is given."""
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Program:
   """`kind`: 'fixed' and 'glsl' are games of fixed function and of GLSL; 'toolkit', 'viewer', 'player'. The word FOLDER
   in the command, in variables and in files is the recording's folder, the program's home. `keys`: by frame, as
   press_keys.c takes them. `api`: 'gl' (GLX) or 'egl'. `env`: variables beside those of all programs. `files`:
   {path in the folder: text}; `made`: {path: function that returns the text}."""
   command: list
   keys: str = ''
   kind: str = 'fixed'
   api: str = 'gl'
   env: dict = field(default_factory=dict)
   files: dict = field(default_factory=dict)
   made: dict = field(default_factory=dict)

   def recipe(self, frames):
      """What a recording depends on, as text."""
      more = [f'api {self.api}'] * (self.api != 'gl')
      more += [f'{name}={value}' for name, value in self.env.items()] + [*self.files.values()]
      return f'{frames} frames of {" ".join(self.command)}, keys {self.keys}' + ''.join(f'; {one}' for one in more)

   def write_files(self, folder):
      """Writes the files into the recording's folder."""
      for path, text in (self.files | {path: make() for path, make in self.made.items()}).items():
         (folder / path).parent.mkdir(parents=True, exist_ok=True)
         (folder / path).write_text(text.replace('FOLDER', str(folder)))

   def in_folder(self, folder):
      """(command, variables) with the folder's path."""
      return ([word.replace('FOLDER', str(folder)) for word in self.command],
              {name: value.replace('FOLDER', str(folder)) for name, value in self.env.items()})


def changes():
   """A history of 60 files over some days, in gource's format."""
   lines = (f'{1600000000 + 1800 * i}|author '
            f'{i % 7}|{"A" if i < 60 else "M"}|source/part{i * i % 11}/file{i * 7 % 60}.c' for i in range(400))
   return '\n'.join(lines) + '\n'


GTK = {'GDK_BACKEND': 'x11', 'GSK_RENDERER': 'gl', 'GDK_DEBUG': 'gl-glx', 'GTK_A11Y': 'none'}
QT = {'QSG_RENDER_LOOP': 'basic', 'QT_QPA_PLATFORM': 'xcb'}
QUICK = """import QtQuick
Rectangle { width: 800; height: 600; color: "#203040"
   Repeater { model: 60
      Rectangle { x: 20 + index % 10 * 78; y: 20 + Math.floor(index / 10) * 95; width: 60; height: 60
         radius: index % 4 * 8; antialiasing: true; opacity: 0.8
         gradient: Gradient { GradientStop { position: 0; color: Qt.hsva(index / 60, 0.7, 1, 1) }
            GradientStop { position: 1; color: "#102030" } }
         Text { anchors.centerIn: parent; text: "item " + index; color: "white"; font.pixelSize: 13 }
         NumberAnimation on rotation { from: index * 6; to: index * 6 + 360; duration: 5000
            loops: Animation.Infinite } } }
   Text { id: line; y: 550; text: "clipfree"; color: "white"; font.pixelSize: 40
      NumberAnimation on x { from: 0; to: 600; duration: 3000; loops: Animation.Infinite } } }
"""
MINETEST = """screen_w = 800
screen_h = 600
enable_sound = false
fps_max = 1000
continuous_forward = true
fixed_map_seed = 7
mg_name = v7
free_move = true
creative_mode = true
time_speed = 0
viewing_range = 30
language = en
"""
WORLD = 'gameid = minetest\nbackend = sqlite3\nplayer_backend = sqlite3\nauth_backend = sqlite3\n'
# A chain of all amino acids, as sticks, ribbons and a surface that one can see through, which turns.
PYMOL = """set internal_gui, 0
viewport 800, 600
fab ACDEFGHIKLMNPQRSTVWY, chain, ss=1
show cartoon
show sticks
show surface
set transparency, 0.5
spectrum
orient
zoom complete=1
set max_threads, 1
set movie_fps, 1000
mset 1 x300
util.mroll(1, 300, 1)
mplay
"""
PYMOL_PATHS = {'PYMOL_PATH': '/usr/lib/python3/dist-packages/pymol', 'PYMOL_DATA': '/usr/share/pymol/data',
               'PYMOL_SCRIPTS': '/usr/share/pymol/scripts', 'QT_QPA_PLATFORM': 'xcb'}
WINDOW = ['-nosound', '-window', '-res', '800', '600']   # of Kenta Cho's games
# Not --vo=gpu, which first asks for OpenGL 4.4: a replay ends where a context is refused.
MPV = ['mpv', '--no-config', '--vo=sdl', '--ao=null', '--untimed', '--osd-level=0', '--no-osc', '--geometry=800x600',
       '--no-keepaspect-window']

PROGRAMS = {
   'armagetronad': Program(['/usr/games/armagetronad'], '60:Return 90:Return 120:Return'),
   'chromium-bsu': Program(['/usr/games/chromium-bsu', '--window'],
                           '60:Return 200:space 250:Left 300:space 350:Right'),
   'foobillardplus': Program(['/usr/games/foobillardplus']),
   'gl-117': Program(['/usr/games/gl-117']),
   'gltron': Program(['/usr/games/gltron', '-w', '-s'], '60:Return 90:Return 200:a 300:s'),
   'gource': Program(['gource', '-800x600', '--seconds-per-day', '0.5', 'FOLDER/changes'], kind='viewer',
                     made={'changes': changes}),
   'neverball': Program(['/usr/games/neverball'], '60:Return 120:Return 180:Return'),
   'neverputt': Program(['/usr/games/neverputt'], '60:Return 120:Return 180:Return'),
   'supertux2': Program(['/usr/games/supertux2', '--window', '--geometry', '800x600', '--disable-sound',
                         '--disable-music'], '60:Return 120:Return 180:Return', 'glsl'),
   # The keys do not reach these four and teeworlds yet, without a window manager: their menus are recorded, which move.
   'titanion': Program(['/usr/games/titanion', *WINDOW], '60:z 120:z'),
   'torus-trooper': Program(['/usr/games/torus-trooper', *WINDOW], '60:z 120:z'),
   'lugaru': Program(['/usr/games/lugaru', '-f'], '60:Return'),
   'trigger-rally': Program(['/usr/games/trigger-rally'], '60:Return 120:Return'),
   'openarena': Program(['/usr/games/openarena', '+set', 'r_fullscreen', '0', '+set', 'r_mode', '-1', '+set',
                         'r_customwidth', '800', '+set', 'r_customheight', '600', '+set', 's_initsound', '0', '+set',
                         'timedemo', '1', '+set', 'com_hunkMegs', '512', '+set',
                         'r_picmip', '1', '+demo', 'demo088-test1']),
   'minetest': Program(['/usr/games/minetest', '--config', 'FOLDER/minetest.conf', '--world', 'FOLDER/world', '--go',
                        '--name', 'player'], '', 'glsl', files={'minetest.conf': MINETEST, 'world/world.mt': WORLD}),
   'teeworlds': Program(['/usr/games/teeworlds', 'gfx_fullscreen 0; gfx_screen_width 800; gfx_screen_height 600; '
                         'snd_enable 0; cl_cpu_throttle 0; gfx_vsync 0'], '30:Return 60:Return'),
   'xmoto': Program(['/usr/games/xmoto', '--windowed', '--resolution', '800x600', '--level', 'tut1', '--nosound',
                     '--nowww'], '60:Return 90:Return 200:Up 300:Up'),
   'gtk4-fishbowl': Program(['gtk4-demo', '--run=fishbowl'], '', 'toolkit', env=GTK),
   'gtk4-gears': Program(['gtk4-demo', '--run=gears'], '', 'toolkit', env=GTK),
   'pymol': Program(['/usr/bin/python3', '-m', 'pymol.__init__', '-q', '-k', 'FOLDER/turn.pml'], '', 'viewer',
                    env=PYMOL_PATHS, files={'turn.pml': PYMOL}),
   'stellarium': Program(['stellarium', '--full-screen=no', '--sky-date=20260101', '--sky-time=22:00:00'], '', 'viewer',
                         env={'QT_QPA_PLATFORM': 'xcb'}),
   'qt6-quick': Program(['/usr/lib/qt6/bin/qmlscene', 'FOLDER/quick.qml'], '', 'toolkit', env=QT,
                        files={'quick.qml': QUICK}),
   'kitty': Program(['kitty', '-o', 'repaint_delay=0', 'sh', '-c', 'while :; do seq 1 100000; done'], '', 'toolkit'),
   'mpv': Program([*MPV, 'av://lavfi:testsrc2=size=640x360:rate=30:duration=30'], '', 'player',
                  env={'SDL_RENDER_DRIVER': 'opengl'}),
}
