#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A program that takes OpenGL from libOpenGL.so.0 and libGLX.so.0, as those do that are linked for glvnd. Prints
GL_RENDERER; fails if the two are not the driver's."""
import ctypes
import sys
from ctypes import CDLL, c_char_p, c_void_p

EGL_OPENGL_API, EGL_PLATFORM_SURFACELESS, GL_RENDERER = 0x30A2, 0x31DD, 0x1F01


def function(library, name, result, *parameters):
   found = getattr(CDLL(library, mode=ctypes.RTLD_GLOBAL), name)
   found.restype, found.argtypes = result, parameters
   return found


def egl(name, *parameters, result=c_void_p):
   return function('libEGL.so.1', name, result, *parameters)


display = egl('eglGetPlatformDisplay', ctypes.c_uint, c_void_p, c_void_p)(EGL_PLATFORM_SURFACELESS, None, None)
egl('eglInitialize', c_void_p, c_void_p, c_void_p)(display, None, None)
egl('eglBindAPI', ctypes.c_uint)(EGL_OPENGL_API)
context = egl('eglCreateContext', c_void_p, c_void_p, c_void_p, c_void_p)(display, None, None, None)
egl('eglMakeCurrent', c_void_p, c_void_p, c_void_p, c_void_p)(display, None, None, context)
renderer = function('libOpenGL.so.0', 'glGetString', c_char_p, ctypes.c_uint)(GL_RENDERER)
print('GL_RENDERER:', renderer.decode() if renderer else 'none')
function('libGLX.so.0', 'glXCreateContext', c_void_p)
with open('/proc/self/maps', encoding='utf-8') as maps:
   others = {line.split()[-1] for line in maps if 'libGLdispatch' in line}
sys.exit(f'glvnd is loaded: {others}' if others else 0)
