# SPDX-License-Identifier: MIT
"""Surfaces: an isosurface with normals, colours of cells (found by gl_PrimitiveID in a buffer texture), edges of cells
(by a geometry shader), flat shading, several lights, a texture, four samples."""
from shared_vtk import actor, elevated, renderer, save, sphere, superquadric, window, with_normals
from vtkmodules.vtkCommonDataModel import vtkQuadric
from vtkmodules.vtkCommonCore import vtkFloatArray
from vtkmodules.vtkFiltersCore import vtkContourFilter
from vtkmodules.vtkFiltersSources import vtkCylinderSource, vtkPlaneSource
from vtkmodules.vtkImagingCore import vtkImageCast
from vtkmodules.vtkImagingHybrid import vtkSampleFunction
from vtkmodules.vtkImagingSources import vtkImageGridSource
from vtkmodules.vtkRenderingCore import vtkLight, vtkTexture


def isosurface():
   quadric = vtkQuadric()
   quadric.SetCoefficients(0.5, 1, 0.2, 0, 0.1, 0, 0, 0.2, 0, 0)
   sampled = vtkSampleFunction()
   sampled.SetSampleDimensions(24, 24, 24)
   sampled.SetImplicitFunction(quadric)
   contours = vtkContourFilter()
   contours.SetInputConnection(sampled.GetOutputPort())
   contours.GenerateValues(4, 0.1, 1.0)
   it = actor(contours)
   it.GetMapper().SetScalarRange(0, 1.2)
   it.GetProperty().SetSpecular(0.5)
   it.GetProperty().SetSpecularPower(20)
   return it


def cells():
   """A sphere of which each cell has a colour of its own."""
   source = sphere(resolution=12)
   source.Update()
   data = source.GetOutput()
   numbers = vtkFloatArray()
   for cell in range(data.GetNumberOfCells()):
      numbers.InsertNextValue(cell * 7 % 13)
   data.GetCellData().SetScalars(numbers)
   it = actor(source)
   it.GetMapper().SetScalarRange(0, 12)
   it.GetMapper().SetScalarModeToUseCellData()
   it.GetProperty().EdgeVisibilityOn()
   it.GetProperty().SetEdgeColor(0, 0, 0)
   return it


def flat():
   source = vtkCylinderSource()
   source.SetResolution(7)
   it = actor(source, (0.9, 0.5, 0.2))
   it.GetProperty().SetInterpolationToFlat()
   it.GetProperty().SetLineWidth(4)
   it.GetProperty().EdgeVisibilityOn()
   it.RotateX(70)
   return it


def textured():
   grid = vtkImageGridSource()
   grid.SetDataExtent(0, 63, 0, 63, 0, 0)
   grid.SetGridSpacing(8, 8, 0)
   grid.SetLineValue(255)
   grid.SetFillValue(60)
   pixels = vtkImageCast()
   pixels.SetOutputScalarTypeToUnsignedChar()
   pixels.SetInputConnection(grid.GetOutputPort())
   texture = vtkTexture()
   texture.SetInputConnection(pixels.GetOutputPort())
   texture.InterpolateOn()
   it = actor(vtkPlaneSource(), (1, 1, 1))
   it.SetTexture(texture)
   it.GetProperty().SetLighting(False)
   return it


def lit():
   it = renderer(actor(with_normals(superquadric()), (0.8, 0.8, 0.8)))
   for place, colour in (((2, 0, 2), (1, 0.3, 0.2)), ((-2, -1, 0), (0.2, 1, 0.3)), ((0, -2, -1), (0.3, 0.3, 1))):
      light = vtkLight()
      light.SetPositional(True)
      light.SetConeAngle(60 if place[0] > 0 else 90)
      light.SetPosition(place)
      light.SetFocalPoint(0, 0, 0)
      light.SetColor(colour)
      it.AddLight(light)
   return it


save(window(renderer(isosurface())), 'isosurface')
save(window(renderer(cells(), viewport=(0, 0, 0.5, 1)), renderer(flat(), viewport=(0.5, 0, 1, 1))), 'cells')
save(window(renderer(textured())), 'texture')
save(window(lit()), 'lights')
wire = actor(elevated(superquadric()))
wire.GetProperty().SetRepresentationToWireframe()
save(window(renderer(wire)), 'wire')
samples = window(renderer(actor(elevated(with_normals(superquadric())))), samples=4)
save(samples, 'samples')
print(samples.ReportCapabilities())
