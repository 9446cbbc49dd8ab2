# SPDX-License-Identifier: MIT
"""For FreeCAD, started with a window: a part made by cutting and joining solids, from three sides. The folder for the
pictures is in the environment, as FreeCAD takes further arguments for files."""
import os
from pathlib import Path

import FreeCAD
import FreeCADGui
from PySide2 import QtCore

FOLDER = Path(os.environ['PICTURES'])
SIZE_PX = (400, 300)


def part():
   document = FreeCAD.newDocument('part')
   solids = {name: document.addObject(f'Part::{kind}', name) for name, kind in (
      ('block', 'Box'), ('ball', 'Sphere'), ('bore', 'Cylinder'), ('ring', 'Torus'))}
   solids['block'].Length, solids['block'].Width, solids['block'].Height = 20, 20, 12
   solids['ball'].Radius = 8
   solids['ball'].Placement.Base = FreeCAD.Vector(20, 0, 12)
   solids['bore'].Radius, solids['bore'].Height = 4, 30
   solids['bore'].Placement.Base = FreeCAD.Vector(8, 10, -5)
   solids['ring'].Radius1, solids['ring'].Radius2 = 6, 2
   solids['ring'].Placement.Base = FreeCAD.Vector(8, 10, 12)
   cut = document.addObject('Part::Cut', 'cut')
   cut.Base, cut.Tool = solids['block'], solids['ball']
   bored = document.addObject('Part::Cut', 'bored')
   bored.Base, bored.Tool = cut, solids['bore']
   document.recompute()
   bored.ViewObject.ShapeColor, solids['ring'].ViewObject.ShapeColor = (0.3, 0.5, 0.8), (0.9, 0.6, 0.2)
   return document


def draw():
   status = 1
   try:
      part()
      view = FreeCADGui.activeDocument().activeView()
      view.setCameraType('Perspective')
      for name in 'Axonometric', 'Front', 'Right':
         getattr(view, f'view{name}')()
         view.fitAll()
         view.saveImage(str(FOLDER / f'{name.lower()}.png'), *SIZE_PX, 'White')
      status = 0
   finally:
      os._exit(status)


QtCore.QTimer.singleShot(2000, draw)
