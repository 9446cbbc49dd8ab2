# SPDX-License-Identifier: MIT
"""The programs of suite `opengl33`: how they are started, and what shows their pictures."""
import re
from dataclasses import dataclass, field
from pathlib import Path

SCRIPTS = Path(__file__).with_name('scripts')
ESC = '\x1b'
TERMINAL_TEXT = f"""{ESC}[1mclipfree{ESC}[0m draws {ESC}[4ma terminal{ESC}[0m: the quick brown fox jumps over the dog
{ESC}[31mred {ESC}[32mgreen {ESC}[33myellow {ESC}[34mblue {ESC}[35mmagenta {ESC}[36mcyan{ESC}[0m {ESC}[7minverse{ESC}[0m
{ESC}[48;2;40;80;160m a background {ESC}[0m{ESC}[38;2;255;160;40m a foreground {ESC}[0m of 24 bits
┌──────────┬──────────┐  ░▒▓█  ▁▂▃▄▅▆▇█
│ äöüß ñ é │ αβγ ЖДЩ  │  !"#$%&'()*+,-./0123456789
└──────────┴──────────┘  ABCDEFGHIJKLMNOPQRSTUVWXYZ{ESC}[?25l
"""

# A closed surface with colours at its vertices, which any viewer of meshes takes.
MESH = """ply
format ascii 1.0
element vertex 6
property float x
property float y
property float z
property uchar red
property uchar green
property uchar blue
element face 8
property list uchar int vertex_indices
end_header
1 0 0 230 60 40
-1 0 0 40 90 220
0 1 0 60 190 70
0 -1 0 240 210 60
0 0 1.4 250 250 250
0 0 -1.4 30 30 30
3 0 2 4
3 2 1 4
3 1 3 4
3 3 0 4
3 2 0 5
3 1 2 5
3 3 1 5
3 0 3 5
"""
FILES = {'text': TERMINAL_TEXT, 'mesh.ply': MESH}


@dataclass
class Program:
   """A program and its arguments: FOLDER is where its pictures go and the FILES lie, SCRIPTS where its scripts are. It
   writes pictures (PNG) and leaves; or, where there is `screen_px`, it stays and is looked at on a screen of that size,
   in `box` (left, top, right, bottom) of it. `env`: variables that it is started with; `needs`: what has to
   be installed beside the command; `alone`: no other one may run beside it."""

   command: list
   screen_px: tuple = None
   box: tuple = None
   least_s: int = 3
   limit_s: int = 100
   env: dict = field(default_factory=dict)
   needs: tuple = ()
   alone: bool = False

   def in_folder(self, folder):
      """(command, variables) that start it in an empty folder, where its files and its home are then."""
      home = folder / 'home'
      home.mkdir(mode=0o700)
      for name, text in FILES.items():
         (folder / name).write_text(text)
      places = {'FOLDER': str(folder), 'SCRIPTS': str(SCRIPTS)}

      def placed(word):
         return re.sub('FOLDER|SCRIPTS', lambda found: places[found[0]], word)
      env = {'HOME': str(home), 'XDG_RUNTIME_DIR': str(home), 'LANG': 'C.UTF-8', 'QT_QPA_PLATFORM': 'xcb'}
      env |= {name: placed(value) for name, value in self.env.items()}
      return [placed(word) for word in self.command], env


def terminal(*command):
   return Program([*command, 'sh', '-c', 'cat FOLDER/text; sleep 1000'], screen_px=(640, 240))


# Scenes of VTK in a guest. virglrenderer 0.10 has all geometry shaders ask for ARB_gpu_shader5, which is of OpenGL 4:
# the other scenes are as empty on llvmpipe without it. All guests of a system use one socket.
GUEST = ('volume', 'peeling', 'charts')

# {name: Program}. The scripts of VTK and moderngl come first: they are quick, and `opengl33-sample` is these alone.
SAMPLE = {path.stem.replace('_', ' '): Program(['/usr/bin/python3', f'SCRIPTS/{path.name}', 'FOLDER'])
          for kind in ('vtk', 'gl') for path in sorted(SCRIPTS.glob(f'{kind}_*.py'))}
PROGRAMS = SAMPLE | {
   'paraview': Program(['pvbatch', 'SCRIPTS/paraview_scene.py', 'FOLDER'], limit_s=200),
   'blender': Program(['blender', '--factory-startup', '--window-geometry', '0', '0', '640', '480', '--python',
                       'SCRIPTS/blender_scene.py', '--', 'FOLDER'], limit_s=400),
   'openscad': Program(['sh', '-c', 'for mode in preview render; do openscad --$mode --imgsize=400,300 '
                        '-o FOLDER/$mode.png SCRIPTS/solids.scad || exit; done'],
                       needs=('openscad',)),
   'freecad': Program(['freecad', 'SCRIPTS/freecad_scene.py'], limit_s=200,
                      env={'PICTURES': 'FOLDER', 'QTWEBENGINE_DISABLE_SANDBOX': '1'}),   # its start page's
   'kitty': terminal('kitty', '--config', 'NONE', '-o', 'remember_window_size=no', '-o', 'initial_window_width=640',
                     '-o', 'initial_window_height=240', '-o', 'cursor_blink_interval=0', '-o',
                     'update_check_interval=0'),
   'alacritty': terminal('alacritty', '-o', 'window.dimensions.columns=78', '-o', 'window.dimensions.lines=12', '-e'),
   'meshlab': Program(['meshlab', 'FOLDER/mesh.ply'], screen_px=(800, 700), box=(2, 74, 404, 600), least_s=10),
   'kodi': Program(['kodi', '--windowing=x11', '--audio-backend=null'], screen_px=(800, 600),
                   box=(0, 60, 800, 600), least_s=15),   # below its clock
   'rviz': Program(['sh', '-c', 'rosmaster --core & rviz -d SCRIPTS/robots.rviz; kill $!'], screen_px=(800, 600),
                   least_s=10, needs=('rosmaster', 'rviz')),
} | {f'virglrenderer {scene}': Program(['SCRIPTS/guest.sh', '/usr/bin/python3', f'SCRIPTS/vtk_{scene}.py', 'FOLDER'],
                                       needs=('virgl_test_server',), alone=True) for scene in GUEST}
