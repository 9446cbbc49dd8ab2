# SPDX-License-Identifier: MIT
"""Streamlines of a flow (the one of Arnold, Beltrami and Childress): as tubes, as wide lines (a geometry shader's), as
lines shaded like tubes, as ribbons, and as lines of one pixel with a legend of their colours."""
import math

from shared_vtk import actor, renderer, save, window
from vtkmodules.vtkCommonCore import vtkDoubleArray
from vtkmodules.vtkCommonDataModel import vtkImageData
from vtkmodules.vtkFiltersCore import vtkTubeFilter
from vtkmodules.vtkFiltersFlowPaths import vtkStreamTracer
from vtkmodules.vtkFiltersModeling import vtkRibbonFilter
from vtkmodules.vtkFiltersSources import vtkLineSource
from vtkmodules.vtkRenderingAnnotation import vtkScalarBarActor

POINTS = 17   # along an axis
RANGE = (0, 2.5)


def flow():
   """The velocities on a grid over one period, the centre in the origin; their length as scalars."""
   grid = vtkImageData()
   grid.SetDimensions(POINTS, POINTS, POINTS)
   step = 2 * math.pi / (POINTS - 1)
   grid.SetSpacing(step, step, step)
   grid.SetOrigin(-math.pi, -math.pi, -math.pi)
   velocities, speeds = vtkDoubleArray(), vtkDoubleArray()
   velocities.SetNumberOfComponents(3)
   velocities.SetName('velocity')
   speeds.SetName('speed')
   for number in range(grid.GetNumberOfPoints()):
      x, y, z = grid.GetPoint(number)
      v = (math.sin(z) + 0.8 * math.cos(y), 0.7 * math.sin(x) + math.cos(z), 0.8 * math.sin(y) + 0.7 * math.cos(x))
      velocities.InsertNextTuple(v)
      speeds.InsertNextValue(math.hypot(*v))
   grid.GetPointData().SetVectors(velocities)
   grid.GetPointData().SetScalars(speeds)
   return grid


def streamlines():
   seeds = vtkLineSource()
   seeds.SetPoint1(-2.9, -2.8, -2.7)
   seeds.SetPoint2(2.9, 2.7, 2.8)
   seeds.SetResolution(24)
   tracer = vtkStreamTracer()
   tracer.SetInputData(flow())
   tracer.SetSourceConnection(seeds.GetOutputPort())
   tracer.SetIntegratorTypeToRungeKutta4()
   tracer.SetIntegrationDirectionToBoth()
   tracer.SetMaximumPropagation(12)
   tracer.SetInitialIntegrationStep(0.3)
   return tracer


def coloured(source, **looks):
   it = actor(source)
   it.GetMapper().SetScalarModeToUsePointFieldData()
   it.GetMapper().SelectColorArray('speed')
   it.GetMapper().SetScalarRange(RANGE)
   for name, value in looks.items():
      getattr(it.GetProperty(), f'Set{name}')(value)
   return it


def tubes(lines):
   it = vtkTubeFilter()
   it.SetInputConnection(lines.GetOutputPort())
   it.SetRadius(0.06)
   it.SetNumberOfSides(8)
   return it


def ribbons(lines):
   it = vtkRibbonFilter()
   it.SetInputConnection(lines.GetOutputPort())
   it.SetWidth(0.1)
   return it


def legend(of):
   it = vtkScalarBarActor()
   it.SetLookupTable(of.GetMapper().GetLookupTable())
   it.SetTitle('speed')
   it.SetNumberOfLabels(4)
   return it


lines = streamlines()
save(window(renderer(coloured(tubes(lines)))), 'tubes')
save(window(renderer(coloured(ribbons(lines)))), 'ribbons')
save(window(renderer(coloured(lines, LineWidth=4))), 'wide')
save(window(renderer(coloured(lines, LineWidth=7, RenderLinesAsTubes=True))), 'lines-as-tubes')
thin = coloured(lines)
with_legend = window(renderer(thin, legend(thin)))
save(with_legend, 'lines')
print(with_legend.ReportCapabilities())
