# SPDX-License-Identifier: MIT
"""Translucent surfaces by dual depth peeling: within each other, through each other, with something opaque between
them, with a volume; and by blending weighted with depth, which peels nothing."""
from shared_field import HIGH, LOW, ramp, volume
from shared_vtk import actor, elevated, renderer, save, sphere, superquadric, window, with_normals
from vtkmodules.vtkFiltersSources import vtkConeSource, vtkCubeSource
from vtkmodules.vtkRenderingOpenGL2 import (vtkCameraPass, vtkLightsPass, vtkOpaquePass,
                                            vtkOrderIndependentTranslucentPass, vtkRenderPassCollection,
                                            vtkSequencePass, vtkTranslucentPass)

COLOURS = [(0.9, 0.2, 0.2), (0.2, 0.8, 0.3), (0.2, 0.4, 0.9), (0.9, 0.8, 0.2)]


def translucent(it, opacity):
   it.GetProperty().SetOpacity(opacity)
   return it


def shells():
   return [translucent(actor(sphere(0.15 + 0.12 * i), colour), 0.35) for i, colour in enumerate(COLOURS)]


def crossing():
   cone = vtkConeSource()
   cone.SetResolution(32)
   return [translucent(actor(elevated(with_normals(superquadric()))), 0.5), translucent(actor(cone, COLOURS[2]), 0.6),
           actor(cube(0.3), (0.9, 0.9, 0.9))]


def cube(side):
   it = vtkCubeSource()
   for axis in 'XYZ':
      getattr(it, f'Set{axis}Length')(side)
   return it


def peeled(*props, volumes=False):
   it = renderer(*props)
   it.SetUseDepthPeeling(True)
   it.SetUseDepthPeelingForVolumes(volumes)
   it.SetMaximumNumberOfPeels(20)
   it.SetOcclusionRatio(0)
   return it


def with_volume():
   opacity = ramp((LOW, 0), (150, 0.01), (HIGH, 0.2))
   return peeled(volume('Composite', opacity), translucent(actor(sphere(14), COLOURS[0]), 0.4), volumes=True)


def weighted(*props):
   passes, blended = vtkRenderPassCollection(), vtkOrderIndependentTranslucentPass()
   blended.SetTranslucentPass(vtkTranslucentPass())
   for one in vtkLightsPass(), vtkOpaquePass(), blended:
      passes.AddItem(one)
   sequence, camera = vtkSequencePass(), vtkCameraPass()
   sequence.SetPasses(passes)
   camera.SetDelegatePass(sequence)
   it = renderer(*props)
   it.SetPass(camera)
   return it


save(window(peeled(*shells())), 'shells')
save(window(peeled(*crossing())), 'crossing')
save(window(with_volume()), 'with-volume')
last = window(weighted(*crossing()))
save(last, 'weighted')
print(last.ReportCapabilities())
