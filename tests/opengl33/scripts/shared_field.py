# SPDX-License-Identifier: MIT
"""Volumes of a field that VTK's tests have, for the scripts of VTK."""
import vtkmodules.vtkRenderingVolumeOpenGL2
from vtkmodules.vtkCommonDataModel import vtkPiecewiseFunction
from vtkmodules.vtkImagingCore import vtkRTAnalyticSource
from vtkmodules.vtkRenderingCore import vtkColorTransferFunction, vtkVolume, vtkVolumeProperty
from vtkmodules.vtkRenderingVolume import vtkGPUVolumeRayCastMapper

LOW, HIGH = 40, 275   # of the field


def field():
   source = vtkRTAnalyticSource()
   source.SetWholeExtent(-20, 20, -20, 20, -20, 20)
   return source


def ramp(*points):
   it = vtkPiecewiseFunction()
   for point in points:
      it.AddPoint(*point)
   return it


def volume(mode, opacity, shade=False, gradient=None):
   mapper = vtkGPUVolumeRayCastMapper()
   source = field()   # which lives as long as it is in a variable, or connected
   mapper.SetInputConnection(source.GetOutputPort())
   getattr(mapper, f'SetBlendModeTo{mode}')()
   mapper.SetUseJittering(False)
   mapper.SetAutoAdjustSampleDistances(False)
   mapper.SetSampleDistance(0.5)
   colours = vtkColorTransferFunction()
   for value, colour in ((LOW, (0.1, 0.2, 0.8)), (150, (0.2, 0.9, 0.3)), (210, (0.9, 0.8, 0.2)), (HIGH, (1, 0.1, 0.1))):
      colours.AddRGBPoint(value, *colour)
   looks = vtkVolumeProperty()
   looks.SetColor(colours)
   looks.SetScalarOpacity(opacity)
   looks.SetInterpolationTypeToLinear()
   looks.SetShade(shade)
   if gradient:
      looks.SetGradientOpacity(gradient)
   it = vtkVolume()
   it.SetMapper(mapper)
   it.SetProperty(looks)
   return it
