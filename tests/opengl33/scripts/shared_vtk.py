# SPDX-License-Identifier: MIT
"""Shared by the scripts of VTK: off-screen windows, and the pictures of them. A script gets the folder for its pictures
as its argument, and prints values that have to be the same on every driver as lines "value NAME ...". With a number of
frames as its second argument it draws each picture so often once more, and says how long that took, as lines
"frames PICTURE NUMBER WALL_MS PROCESSOR_MS"."""
import sys
import time
from pathlib import Path

import vtkmodules.vtkInteractionStyle
import vtkmodules.vtkRenderingFreeType
import vtkmodules.vtkRenderingOpenGL2
from vtkmodules.vtkFiltersCore import vtkElevationFilter, vtkPolyDataNormals
from vtkmodules.vtkFiltersSources import vtkSphereSource, vtkSuperquadricSource
from vtkmodules.vtkIOImage import vtkPNGWriter
from vtkmodules.vtkRenderingCore import (vtkActor, vtkPolyDataMapper, vtkRenderer, vtkRenderWindow,
                                         vtkWindowToImageFilter)

SIZE_PX = (400, 300)
BACKGROUND = (0.12, 0.16, 0.22)


def renderer(*props, viewport=(0, 0, 1, 1), view=(1, -2, 1.2)):
   """A renderer of these props, looking at them from the direction `view`."""
   it = vtkRenderer()
   it.SetBackground(BACKGROUND)
   it.SetViewport(viewport)
   for prop in props:
      it.AddViewProp(prop)
   camera = it.GetActiveCamera()
   camera.SetFocalPoint(0, 0, 0)
   camera.SetPosition(view)
   camera.SetViewUp(0, 0, 1)
   it.ResetCamera()
   return it


def window(*renderers, samples=0):
   """An off-screen window of them."""
   it = vtkRenderWindow()
   it.SetOffScreenRendering(1)
   it.SetMultiSamples(samples)
   it.SetSize(SIZE_PX)
   for one in renderers:
      it.AddRenderer(one)
   return it


def save(shown, name):
   """Renders, and writes the picture."""
   shown.Render()
   image = vtkWindowToImageFilter()
   image.SetInput(shown)
   image.ReadFrontBufferOff()
   writer = vtkPNGWriter()
   writer.SetFileName(str(Path(sys.argv[1], f'{name}.png')))
   writer.SetInputConnection(image.GetOutputPort())
   writer.Write()
   if len(sys.argv) > 2:
      measure(shown, name, int(sys.argv[2]))


def measure(shown, name, frames):
   """Draws twice so many frames, of which each one waits for the one before, and measures the second half: a driver
   may compile for what has run often."""
   for _ in range(2):
      start, start_used = time.monotonic(), time.process_time()
      for _ in range(frames):
         shown.Render()
         shown.WaitForCompletion()
   wall, used = time.monotonic() - start, time.process_time() - start_used
   print(f'frames {name} {frames} {1000 * wall:.2f} {1000 * used:.2f}')


def actor(source, colour=None, scalars=True):
   """An actor of a source's surface: of one colour, or by its scalars."""
   mapper = vtkPolyDataMapper()
   mapper.SetInputConnection(source.GetOutputPort())
   mapper.SetScalarVisibility(scalars and colour is None)
   it = vtkActor()
   it.SetMapper(mapper)
   if colour:
      it.GetProperty().SetColor(colour)
   return it


def sphere(radius=0.5, centre=(0, 0, 0), resolution=24):
   source = vtkSphereSource()
   source.SetRadius(radius)
   source.SetCenter(centre)
   source.SetThetaResolution(resolution)
   source.SetPhiResolution(resolution)
   return source


def elevated(source, low=-0.5, high=0.5):
   """The source with its height as scalars."""
   it = vtkElevationFilter()
   it.SetInputConnection(source.GetOutputPort())
   it.SetLowPoint(0, 0, low)
   it.SetHighPoint(0, 0, high)
   return it


def with_normals(source):
   it = vtkPolyDataNormals()
   it.SetInputConnection(source.GetOutputPort())
   it.SplittingOff()
   return it


def superquadric(toroidal=True):
   source = vtkSuperquadricSource()
   source.SetToroidal(toroidal)
   source.SetThetaRoundness(0.6)
   source.SetPhiRoundness(1.4)
   source.SetThetaResolution(48)
   source.SetPhiResolution(48)
   source.SetAxisOfSymmetry(2)
   return source
