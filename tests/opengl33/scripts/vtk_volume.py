# SPDX-License-Identifier: MIT
"""Volumes, by rays through 3D textures: composed with light and with opacity by the gradient, their largest value,
their mean, surfaces in them, and one cut by planes with a sphere inside."""
from shared_field import HIGH, LOW, ramp, volume
from shared_vtk import actor, renderer, save, sphere, window
from vtkmodules.vtkCommonDataModel import vtkPlane


def cut():
   it = volume('Composite', ramp((LOW, 0), (150, 0.02), (HIGH, 0.4)), shade=True)
   for normal in (1, 0, 0), (0, 0, -1):
      plane = vtkPlane()
      plane.SetOrigin(0, 0, 4)
      plane.SetNormal(normal)
      it.GetMapper().AddClippingPlane(plane)
   return it


def isosurface():
   it = volume('IsoSurface', ramp((LOW, 0.4), (HIGH, 1)), shade=True)
   for value in 120, 190:
      it.GetProperty().GetIsoSurfaceValues().SetValue(value // 100 - 1, value)
   return it


soft = ramp((LOW, 0), (130, 0), (HIGH, 0.15))
save(window(renderer(volume('Composite', soft, shade=True))), 'composite')
save(window(renderer(volume('Composite', soft, gradient=ramp((0, 0), (4, 0.2), (20, 1))))), 'gradient')
save(window(renderer(volume('MaximumIntensity', ramp((LOW, 0), (HIGH, 1))))), 'maximum')
save(window(renderer(volume('AverageIntensity', ramp((LOW, 0), (HIGH, 1))))), 'average')
save(window(renderer(isosurface())), 'isosurface')
inside = window(renderer(cut(), actor(sphere(9, (-6, 0, 4)), (0.9, 0.9, 0.9))))
save(inside, 'cut')
print(inside.ReportCapabilities())
