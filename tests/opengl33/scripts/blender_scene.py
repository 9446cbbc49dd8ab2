# SPDX-License-Identifier: MIT
"""For Blender, started with a window: a small scene, drawn as the viewport draws it (solid, with outlines and cavities,
and as wires), and by Eevee with shadows, reflections of the screen and ambient occlusion. The folder for the pictures
comes after "--"."""
import math
import os
import sys
from pathlib import Path

import bpy
import gpu

FOLDER = Path(sys.argv[sys.argv.index('--') + 1])
SIZE_PX = (400, 300)
EEVEE_SAMPLES = 8


def material(name, colour, metallic=0.0, roughness=0.5):
   it = bpy.data.materials.new(name)
   it.use_nodes = True
   it.diffuse_color = (*colour, 1)
   looks = it.node_tree.nodes['Principled BSDF'].inputs
   looks['Base Color'].default_value = (*colour, 1)
   looks['Metallic'].default_value = metallic
   looks['Roughness'].default_value = roughness
   return it


def add(kind, looks, smooth=False, **where):
   getattr(bpy.ops.mesh, f'primitive_{kind}_add')(**where)
   it = bpy.context.object
   it.data.materials.append(looks)
   for face in it.data.polygons:
      face.use_smooth = smooth
   return it


def build():
   bpy.ops.object.select_all(action='SELECT')
   bpy.ops.object.delete()
   add('plane', material('floor', (0.6, 0.6, 0.6), roughness=0.3), size=12)
   add('monkey', material('clay', (0.8, 0.25, 0.1)), smooth=True, location=(-1.1, 0, 1), rotation=(-0.5, 0, 0.3))
   add('uv_sphere', material('metal', (0.9, 0.8, 0.5), 1.0, 0.15), smooth=True, location=(1.2, 0.4, 0.9), radius=0.9)
   add('torus', material('paint', (0.1, 0.3, 0.8)), smooth=True, location=(0.4, -1.5, 0.3), major_radius=0.6,
       minor_radius=0.25)
   add('cube', material('leaf', (0.1, 0.6, 0.2)), location=(-1.6, -1.8, 0.4), size=0.8, rotation=(0, 0, 0.5))
   bpy.ops.object.light_add(type='SUN', rotation=(0.7, 0.3, 0))
   bpy.context.object.data.energy = 3
   bpy.ops.object.light_add(type='AREA', location=(3, -3, 4), rotation=(0.9, 0, 0.8))
   bpy.context.object.data.energy = 200
   bpy.ops.object.camera_add(location=(0.6, -6.5, 3.6), rotation=(math.radians(66), 0, math.radians(5)))
   bpy.context.scene.camera = bpy.context.object
   bpy.ops.object.select_all(action='DESELECT')


def render(name, drawing):
   bpy.context.scene.render.filepath = str(FOLDER / name)
   drawing(write_still=True)


def draw():
   """All pictures; then Blender ends."""
   status = 1
   try:
      print('renderer:', gpu.platform.renderer_get())
      build()
      scene = bpy.context.scene
      scene.render.resolution_x, scene.render.resolution_y = SIZE_PX
      scene.render.resolution_percentage = 100
      scene.view_settings.view_transform = 'Standard'
      scene.render.engine = 'BLENDER_WORKBENCH'
      shading = scene.display.shading
      shading.color_type, shading.show_cavity, shading.show_shadows = 'MATERIAL', True, True
      scene.display.render_aa = 'OFF'
      render('workbench', bpy.ops.render.render)
      scene.render.engine = 'BLENDER_EEVEE'
      eevee = scene.eevee
      eevee.taa_render_samples = EEVEE_SAMPLES
      eevee.use_gtao = eevee.use_ssr = eevee.use_soft_shadows = True
      render('eevee', bpy.ops.render.render)
      render('viewport', lambda **words: bpy.ops.render.opengl(view_context=False, **words))
      status = 0
   finally:
      sys.stdout.flush()
      os._exit(status)


bpy.app.timers.register(draw, first_interval=1.0)
