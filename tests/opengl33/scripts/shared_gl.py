# SPDX-License-Identifier: MIT
"""Shared by the scripts of moderngl: a core context of OpenGL 3.3 without a window, pictures, matrices and meshes. A
script gets the folder for its pictures as its argument, and prints values that have to be the same on every driver as
lines "value NAME ...". """
import sys
from pathlib import Path

import moderngl
import numpy as np
from PIL import Image

SIZE_PX = (400, 300)
BACKGROUND = (0.12, 0.16, 0.22, 1.0)
LIBRARIES = {'libgl': 'libGL.so.1', 'libegl': 'libEGL.so.1'}


def context():
   it = moderngl.create_context(standalone=True, require=330, backend='egl', **LIBRARIES)
   print('renderer:', it.info['GL_RENDERER'])
   it.enable(moderngl.DEPTH_TEST)
   return it


def target(gl, samples=0):
   """A frame buffer, in use and cleared."""
   it = gl.framebuffer([gl.renderbuffer(SIZE_PX, samples=samples)], gl.depth_renderbuffer(SIZE_PX, samples=samples))
   it.use()
   it.clear(*BACKGROUND)
   return it


def save(shown, name):
   picture = Image.frombytes('RGB', SIZE_PX, shown.read(alignment=1))
   picture.transpose(Image.Transpose.FLIP_TOP_BOTTOM).save(Path(sys.argv[1], f'{name}.png'))


def floats(values):
   return np.array(values, dtype='f4').tobytes()


def view(eye, at=(0, 0, 0), near=0.5, far=20.0, ahead=1.8):
   """A matrix to clip space, by columns, for a shader's mat4; `ahead`: of the field of view."""
   forward = np.subtract(at, eye) / np.linalg.norm(np.subtract(at, eye))
   right = np.cross(forward, (0, 0, 1))
   right /= np.linalg.norm(right)
   camera = np.eye(4)
   camera[:3, :3] = right, np.cross(right, forward), -forward
   camera[:3, 3] = -camera[:3, :3] @ eye
   clip = np.zeros((4, 4))
   clip[0, 0], clip[1, 1] = ahead * SIZE_PX[1] / SIZE_PX[0], ahead
   clip[2, 2:] = (far + near) / (near - far), 2 * far * near / (near - far)
   clip[3, 2] = -1
   return floats((clip @ camera).T)


def torus(around=48, across=24, radius=0.35):
   """Positions and normals of triangles, as floats."""
   u, v = np.meshgrid(np.arange(around + 1) * 2 * np.pi / around, np.arange(across + 1) * 2 * np.pi / across)
   normals = np.stack([np.cos(u) * np.cos(v), np.sin(u) * np.cos(v), np.sin(v)], -1)
   places = np.stack([np.cos(u), np.sin(u), 0 * u], -1) + radius * normals
   both = np.concatenate([places, normals], -1)
   corners = both[:-1, :-1], both[:-1, 1:], both[1:, 1:], both[:-1, :-1], both[1:, 1:], both[1:, :-1]
   return floats(np.stack(corners, 2).reshape(-1, 6))
