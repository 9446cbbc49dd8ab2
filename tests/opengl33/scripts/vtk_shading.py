# SPDX-License-Identifier: MIT
"""Passes over the whole picture: shadow maps, ambient occlusion in screen space, edges softened after drawing,
physically based materials under an environment (cube maps and their levels, drawn), silhouettes, blur."""
from shared_vtk import actor, elevated, renderer, save, sphere, superquadric, window, with_normals
from vtkmodules.vtkCommonCore import vtkUnsignedCharArray
from vtkmodules.vtkCommonDataModel import vtkImageData
from vtkmodules.vtkFiltersSources import vtkPlaneSource
from vtkmodules.vtkRenderingCore import vtkLight, vtkTexture
from vtkmodules.vtkRenderingOpenGL2 import (vtkCameraPass, vtkEDLShading, vtkGaussianBlurPass,
                                            vtkRenderPassCollection, vtkRenderStepsPass, vtkSequencePass,
                                            vtkShadowMapPass, vtkSSAOPass)

ENVIRONMENT_PX = (32, 16)


def scene():
   plane = vtkPlaneSource()
   plane.SetOrigin(-1.2, -1.2, -0.4)
   plane.SetPoint1(1.2, -1.2, -0.4)
   plane.SetPoint2(-1.2, 1.2, -0.4)
   return [actor(plane, (0.8, 0.8, 0.8)), actor(sphere(0.3, (-0.5, -0.4, 0)), (0.9, 0.4, 0.2)),
           actor(elevated(with_normals(superquadric())))]


def with_shadows():
   it = renderer(*scene())
   for place, colour in ((2, -1, 3), (1, 0.9, 0.7)), ((-2, -2, 2), (0.3, 0.4, 0.6)):
      light = vtkLight()
      light.SetPositional(True)
      light.SetPosition(place)
      light.SetFocalPoint(0, 0, 0)
      light.SetConeAngle(40)
      light.SetColor(colour)
      it.AddLight(light)
   shadows, passes, sequence, camera = vtkShadowMapPass(), vtkRenderPassCollection(), vtkSequencePass(), vtkCameraPass()
   shadows.GetShadowMapBakerPass().SetResolution(256)
   passes.AddItem(shadows.GetShadowMapBakerPass())
   passes.AddItem(shadows)
   sequence.SetPasses(passes)
   camera.SetDelegatePass(sequence)
   it.SetPass(camera)
   return it


def with_pass(one):
   it = renderer(*scene())
   one.SetDelegatePass(vtkRenderStepsPass())
   it.SetPass(one)
   return it


def occlusion():
   it = vtkSSAOPass()
   it.SetRadius(0.3)
   it.SetBias(0.01)
   it.SetKernelSize(64)
   it.BlurOn()
   return it


def occluded():
   """VTK keeps places as halves, and takes a pixel for another's if its depth is off by 0.0001. So that it does not
   matter whether a driver rounds or truncates halves, depth changes slowly: C / (2048 z), C near the front plane."""
   it = with_pass(occlusion())
   it.GetActiveCamera().SetClippingRange(0.2, 12)
   return it


def environment():
   """A sky over a floor with lamps, as floats would not fit a picture."""
   width, height = ENVIRONMENT_PX
   texels = vtkUnsignedCharArray()
   texels.SetNumberOfComponents(3)
   for y in range(height):
      for x in range(width):
         lamp = y == height * 3 // 4 and x % 8 < 3
         texels.InsertNextTuple((255, 240, 200) if lamp else (40, 90, 20 + 12 * y) if 2 * y > height else (70, 60, 50))
   image = vtkImageData()
   image.SetDimensions(width, height, 1)
   image.GetPointData().SetScalars(texels)
   it = vtkTexture()
   it.SetInputData(image)
   it.SetColorModeToDirectScalars()
   it.InterpolateOn()
   return it


def physical():
   balls = []
   for column in range(4):
      for row in range(2):
         ball = actor(sphere(0.4, (column - 1.5, 0, row - 0.5), 32), (0.9, 0.7, 0.4))
         ball.GetProperty().SetInterpolationToPBR()
         ball.GetProperty().SetMetallic(row)
         ball.GetProperty().SetRoughness(0.05 + 0.3 * column)
         balls.append(ball)
   it = renderer(*balls, view=(0, -1, 0))
   it.UseImageBasedLightingOn()
   it.SetEnvironmentTexture(environment())
   it.UseSphericalHarmonicsOff()
   it.GetEnvMapIrradiance().SetIrradianceSize(16)
   it.GetEnvMapIrradiance().SetIrradianceStep(0.2)
   it.GetEnvMapPrefiltered().SetPrefilterLevels(3)
   it.GetEnvMapPrefiltered().SetPrefilterMaxSamples(16)
   return it


def softened():
   it = renderer(*scene())
   it.UseFXAAOn()
   return it


save(window(with_shadows()), 'shadows')
save(window(occluded()), 'occlusion')
save(window(with_pass(vtkEDLShading())), 'edl')
save(window(with_pass(vtkGaussianBlurPass())), 'blur')
save(window(softened()), 'fxaa')
last = window(physical())
save(last, 'physical')
print(last.ReportCapabilities())
