# SPDX-License-Identifier: MIT
"""Picking: which actor, and which of its cells and points, is at a pixel, which VTK draws as colours, and how deep it
is. For each pixel in a grid the cell is the one that a ray, followed by the processor, meets first; pixels at whose
corners the ray meets another cell, as an edge goes through them, are left out."""
import sys

from shared_vtk import SIZE_PX, actor, renderer, save, sphere, superquadric, window
from vtkmodules.vtkCommonDataModel import vtkDataObject, vtkSelectionNode
from vtkmodules.vtkFiltersSources import vtkCylinderSource, vtkPlaneSource
from vtkmodules.vtkRenderingCore import vtkCellPicker, vtkHardwareSelector

STEP_PX = 7
CORNERS = [(x, y) for x in (0.01, 0.99) for y in (0.01, 0.99)]
DEPTH_ERROR = 2e-5   # of the buffer's 24 bits and of the interpolation


def scene():
   plane, cylinder = vtkPlaneSource(), vtkCylinderSource()
   plane.SetResolution(9, 9)
   plane.SetOrigin(-1, -1, -0.4)
   plane.SetPoint1(1, -1, -0.4)
   plane.SetPoint2(-1, 1, -0.4)
   cylinder.SetResolution(9)
   it = [actor(plane, (0.7, 0.7, 0.7)), actor(sphere(0.4, (-0.4, 0, 0), 14), (0.9, 0.4, 0.2)),
         actor(cylinder, (0.3, 0.5, 0.9)), actor(superquadric(), (0.3, 0.8, 0.4))]
   it[2].SetScale(0.4)
   it[2].SetPosition(0.5, 0.3, 0)
   it[3].SetScale(0.5)
   it[3].SetPosition(0.4, -0.6, 0)
   return it


def captured(shown, field):
   """What the colours of all pixels say of cells or points."""
   selector = vtkHardwareSelector()
   selector.SetRenderer(shown)
   selector.SetArea(0, 0, SIZE_PX[0] - 1, SIZE_PX[1] - 1)
   selector.SetFieldAssociation(field)
   selector.CaptureBuffers()
   return selector


def picked(selector, actors, x, y):
   """(number of the actor, number of its cell or point) at a pixel, None where there is none."""
   selection = selector.GenerateSelection(x, y, x, y)
   if not selection.GetNumberOfNodes():
      return None
   node = selection.GetNode(0)
   return actors.index(node.GetProperties().Get(vtkSelectionNode.PROP())), int(node.GetSelectionList().GetValue(0))


def met(picker, shown, actors, x, y):
   """The same by a ray, and how deep it is."""
   if not picker.Pick(x, y, 0, shown):
      return None, 1.0
   shown.SetWorldPoint(*picker.GetPickPosition(), 1)
   shown.WorldToDisplay()
   return (actors.index(picker.GetActor()), picker.GetCellId()), shown.GetDisplayPoint()[2]


actors = scene()
shown = renderer(*actors)
over = window(shown)
save(over, 'scene')
points = captured(shown, vtkDataObject.FIELD_ASSOCIATION_POINTS)
cells = captured(shown, vtkDataObject.FIELD_ASSOCIATION_CELLS)
over.Render()
picker = vtkCellPicker()
picker.SetTolerance(0)
compared = wrong = wrong_depths = 0
for y in range(STEP_PX // 2, SIZE_PX[1], STEP_PX):
   for x in range(STEP_PX // 2, SIZE_PX[0], STEP_PX):
      wanted, depth = met(picker, shown, actors, x + 0.5, y + 0.5)
      if any(met(picker, shown, actors, x + i, y + j)[0] != wanted for i, j in CORNERS):
         continue
      found = picked(cells, actors, x, y)
      compared += 1
      wrong += found != wanted
      wrong_depths += abs(shown.GetZ(x, y) - depth) > DEPTH_ERROR
      print(f'value {x},{y}: cell {found}, point {picked(points, actors, x, y)}')
print(f'value compared {compared}, other cells than by rays {wrong}, other depths {wrong_depths}')
print(over.ReportCapabilities())
sys.exit(bool(wrong or wrong_depths or compared < 800))
