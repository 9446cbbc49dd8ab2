# SPDX-License-Identifier: MIT
"""What VTK draws in two dimensions: a chart with lines, points and bars, text, images with a table of colours, and
axes and labels in a scene."""
import math

from shared_vtk import actor, elevated, renderer, save, sphere, window
import vtkmodules.vtkRenderingContextOpenGL2
from vtkmodules.vtkChartsCore import vtkChart, vtkChartXY
from vtkmodules.vtkCommonCore import vtkFloatArray, vtkLookupTable
from vtkmodules.vtkCommonDataModel import vtkTable
from vtkmodules.vtkImagingCore import vtkRTAnalyticSource
from vtkmodules.vtkRenderingAnnotation import vtkAxesActor, vtkCubeAxesActor
from vtkmodules.vtkRenderingContext2D import vtkContextActor
from vtkmodules.vtkRenderingCore import vtkImageSlice, vtkImageProperty, vtkTextActor
from vtkmodules.vtkRenderingImage import vtkImageResliceMapper

ROWS = 24


def table():
   it = vtkTable()
   for name, function in ('x', float), ('sine', math.sin), ('cosine', lambda x: 0.5 * math.cos(x)), (
         'bars', lambda x: 0.3 + 0.2 * math.sin(2 * x)):
      column = vtkFloatArray()
      column.SetName(name)
      for row in range(ROWS):
         column.InsertNextValue(function(row / 4))
      it.AddColumn(column)
   return it


def chart():
   it, data, scene = vtkChartXY(), table(), vtkContextActor()
   for column, (kind, colour) in enumerate(((vtkChart.LINE, (200, 40, 40, 255)), (vtkChart.POINTS, (40, 90, 200, 255)),
                                            (vtkChart.BAR, (60, 160, 60, 180)))):
      plot = it.AddPlot(kind)
      plot.SetInputData(data, 0, column + 1)
      plot.SetColor(*colour)
      plot.SetWidth(2)
   it.SetShowLegend(True)
   it.SetTitle('clipfree')
   scene.GetScene().AddItem(it)
   shown = renderer(scene)
   scene.GetScene().SetRenderer(shown)
   shown.SetBackground(1, 1, 1)
   return shown


def image():
   source, colours, looks, mapper = vtkRTAnalyticSource(), vtkLookupTable(), vtkImageProperty(), vtkImageResliceMapper()
   source.SetWholeExtent(-20, 20, -20, 20, 0, 0)
   colours.SetRange(40, 275)
   colours.Build()
   looks.SetLookupTable(colours)
   looks.UseLookupTableScalarRangeOn()
   looks.SetInterpolationTypeToLinear()
   mapper.SetInputConnection(source.GetOutputPort())
   it = vtkImageSlice()
   it.SetMapper(mapper)
   it.SetProperty(looks)
   return it


def labelled():
   ball = actor(elevated(sphere()))
   axes, cube, text = vtkAxesActor(), vtkCubeAxesActor(), vtkTextActor()
   cube.SetBounds(-0.5, 0.5, -0.5, 0.5, -0.5, 0.5)
   text.SetInput('a sphere\nof radius 0.5')
   text.GetTextProperty().SetFontSize(22)
   text.SetPosition(8, 8)
   it = renderer(ball, axes, text, view=(2, -1.4, 1.1))
   cube.SetCamera(it.GetActiveCamera())
   it.AddActor(cube)
   it.ResetCamera()
   return it


save(window(chart()), 'chart')
save(window(renderer(image(), view=(0, 0, 1))), 'image')
last = window(labelled())
save(last, 'labels')
print(last.ReportCapabilities())
