# SPDX-License-Identifier: MIT
"""For ParaView's pvbatch: a field's contours with a cut, its volume, and streamlines; off-screen."""
import sys
from pathlib import Path

from paraview import simple

SIZE_PX = [400, 300]
FOLDER = Path(sys.argv[1])


def view():
   it = simple.CreateView('RenderView')
   it.ViewSize = SIZE_PX
   it.OrientationAxesVisibility = 0
   it.UseColorPaletteForBackground = 0
   it.Background = [0.12, 0.16, 0.22]
   it.MultiSamples = 0
   return it


def save(shown, name):
   simple.ResetCamera(shown)
   camera = shown.GetActiveCamera()
   camera.Azimuth(30)
   camera.Elevation(25)
   simple.Render(shown)
   simple.SaveScreenshot(str(FOLDER / f'{name}.png'), shown, ImageResolution=SIZE_PX)


wavelet = simple.Wavelet()
contours = view()
surface = simple.Contour(Input=wavelet, ContourBy=['POINTS', 'RTData'], Isosurfaces=[100, 160, 220])
cut = simple.Clip(Input=surface, ClipType='Plane')
simple.ColorBy(simple.Show(cut, contours), ('POINTS', 'RTData'))
simple.Show(simple.Outline(Input=wavelet), contours)
save(contours, 'contours')

volume = view()
simple.Show(wavelet, volume).SetRepresentationType('Volume')
simple.ColorBy(simple.GetDisplayProperties(wavelet, volume), ('POINTS', 'RTData'))
save(volume, 'volume')

flow = view()
whirl = simple.Calculator(Input=wavelet, ResultArrayName='whirl', Function='coordsY*iHat - coordsX*jHat + 2*kHat')
lines = simple.StreamTracer(Input=whirl, Vectors=['POINTS', 'whirl'], SeedType='Line', MaximumStreamlineLength=60)
lines.SeedType.Point1, lines.SeedType.Point2, lines.SeedType.Resolution = [-9, 0, 0], [9, 0, 0], 12
tubes = simple.Tube(Input=lines, Radius=0.3, Vectors=['POINTS', 'whirl'])
simple.ColorBy(simple.Show(tubes, flow), ('POINTS', 'RTData'))
save(flow, 'streamlines')
