# SPDX-License-Identifier: MIT
"""Glyphs: arrows by instancing; spheres and sticks that rays find within billboards of geometry shaders; points as
spheres, and as splats of a Gauss function."""
import math

from shared_vtk import renderer, save, sphere, window
from vtkmodules.vtkCommonCore import vtkFloatArray, vtkPoints
from vtkmodules.vtkCommonDataModel import vtkCellArray, vtkPolyData
from vtkmodules.vtkFiltersSources import vtkArrowSource
from vtkmodules.vtkRenderingCore import vtkActor, vtkGlyph3DMapper, vtkPointGaussianMapper
from vtkmodules.vtkRenderingOpenGL2 import vtkOpenGLSphereMapper, vtkOpenGLStickMapper

ROW = 12


def array(name, tuples):
   """Of floats, which the mappers of impostors take for granted."""
   it = vtkFloatArray()
   it.SetName(name)
   it.SetNumberOfComponents(len(tuples[0]))
   for one in tuples:
      it.InsertNextTuple(one)
   return it


def places():
   """Points on a wave, with heights, directions and radii."""
   xy = [(2 * x / (ROW - 1) - 1, 2 * y / (ROW - 1) - 1) for y in range(ROW) for x in range(ROW)]
   points, vertices = vtkPoints(), vtkCellArray()
   for x, y in xy:
      vertices.InsertNextCell(1, [points.InsertNextPoint(x, y, 0.3 * math.sin(3 * x) * math.cos(2 * y))])
   data = vtkPolyData()
   data.SetPoints(points)
   data.SetVerts(vertices)
   data.GetPointData().SetScalars(array('height', [(math.sin(3 * x) * math.cos(2 * y),) for x, y in xy]))
   for it in (array('direction', [(math.cos(4 * x), math.sin(4 * y), 0.6) for x, y in xy]),
              array('radius', [(0.05 + 0.03 * abs(x * y),) for x, y in xy])):
      data.GetPointData().AddArray(it)
   return data


def shown(mapper, data):
   mapper.SetInputData(data)
   mapper.SetScalarRange(-1, 1)
   it = vtkActor()
   it.SetMapper(mapper)
   return it


def arrows(data):
   mapper, arrow = vtkGlyph3DMapper(), vtkArrowSource()
   mapper.SetSourceConnection(arrow.GetOutputPort())
   mapper.SetOrientationArray('direction')
   mapper.SetScaleFactor(0.22)
   return shown(mapper, data)


def impostors(data):
   mapper = vtkOpenGLSphereMapper()
   mapper.SetScaleArray('radius')
   return shown(mapper, data)


def sticks(data):
   mapper = vtkOpenGLStickMapper()
   mapper.SetOrientationArray('direction')
   scales = array('scale', [(0.16, 0.03, 0.03)] * data.GetNumberOfPoints())
   data.GetPointData().AddArray(scales)
   mapper.SetScaleArray('scale')
   return shown(mapper, data)


def points_as_spheres(data):
   mapper = vtkGlyph3DMapper()   # of one vertex each, which is drawn large
   point = sphere(0.01, resolution=3)
   mapper.SetSourceConnection(point.GetOutputPort())
   mapper.ScalingOff()
   it = shown(mapper, data)
   it.GetProperty().SetRepresentationToPoints()
   it.GetProperty().SetPointSize(14)
   it.GetProperty().RenderPointsAsSpheresOn()
   return it


def splats(data):
   mapper = vtkPointGaussianMapper()
   mapper.SetScaleFactor(0.06)
   mapper.EmissiveOff()
   return shown(mapper, data)


save(window(renderer(arrows(places()))), 'arrows')
save(window(renderer(impostors(places()))), 'spheres')
save(window(renderer(sticks(places()))), 'sticks')
save(window(renderer(points_as_spheres(places()))), 'points')
last = window(renderer(splats(places())))
save(last, 'splats')
print(last.ReportCapabilities())
