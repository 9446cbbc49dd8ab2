# SPDX-License-Identifier: MIT
"""Frames per second of glmark2's scenes, off-screen, in windows and by threads; and the memory they take."""
import re

from .measure import Figures, interleaved, picked, run

# Scenes that are so light that presenting them is a large part of a frame.
LIGHT = ('build', 'texture', 'pulsar')

# What bounds a scene: (scene, size). In the small windows most of the model is in one of four tiles, which no second thread shares.
BOUND = {
   'fragments: effect2d 5x5': ('effect2d:kernel=1,1,1,1,1;1,1,1,1,1;1,1,1,1,1;', '800x600'),
   'fragments: jellyfish': ('jellyfish:', '800x600'),
   'vertices: build': ('build:use-vbo=true', '800x600'),
   'vertices: bump': ('bump:bump-render=high-poly', '800x600'),
   'small window: build': ('build:use-vbo=true', '100x75'),
   'small window: bump': ('bump:bump-render=high-poly', '100x75'),
}


def play(bench, driver, scene, size=None, threads=None, off_screen=True):
   """(frames per second, Run) of one scene; None if it gave no figure on that driver."""
   command = ['glmark2-es2', '-s', size or bench.size, '-b', f'{scene.rstrip(":")}:duration={bench.duration_s}']
   done = run(command + (['--off-screen'] if off_screen else []), bench.environment(driver, threads))
   renderer = re.search(r'GL_RENDERER: *(\S+)', done.output)
   time_ms = re.search(r'FrameTime: *([0-9.]+) ms', done.output)
   if done.status is None or not time_ms or not renderer or not renderer.group(1).startswith(driver.renderer):
      return None
   return 1000 / max(float(time_ms.group(1)), 1e-3), done


def off_screen(bench):
   results = interleaved(bench, 'scenes', bench.scenes, lambda driver, scene: play(bench, driver, scene))
   return [Figures('scene', 'FPS', picked(results, lambda one: one[0]), score=True),
           Figures('scene: most memory', 'MB', picked(results, lambda one: one[1].memory_MB), more_is_better=False)]


def windowed(bench):
   light = [scene for scene in bench.scenes if scene.startswith(LIGHT)]
   results = interleaved(bench, 'windowed', light, lambda driver, scene: play(bench, driver, scene, off_screen=False))
   return [Figures('scene in a window', 'FPS', picked(results, lambda one: one[0]))]


def threads(bench):
   """Softpipe has no threads: it is left out."""
   rows = {f'{name}, {count} thread{"s" * (count > 1)}': (*of, count) for name, of in BOUND.items() for count in (1, 2)}
   results = interleaved(bench, 'threads', list(rows), lambda driver, row: play(bench, driver, *rows[row]),
                         [driver for driver in bench.drivers if driver.name != 'softpipe'])
   figures = Figures('scene and threads', 'FPS', picked(results, lambda one: one[0]))
   return [figures, Figures('1 to 2 threads', 'times', speed_ups(figures.results(), list(rows)))]


def speed_ups(medians, rows):
   """Of rows for 1 and 2 threads in turn: how many times faster two are."""
   return {one.rpartition(',')[0]: {driver: [two_fps / one_fps if one_fps and two_fps else None]
                                    for (driver, one_fps), two_fps in zip(medians[one].items(), medians[two].values())}
           for one, two in zip(rows[::2], rows[1::2])}
