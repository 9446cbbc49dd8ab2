# SPDX-License-Identifier: MIT
"""glmark2's scenes: frames per second, processor time and memory; off-screen, in windows, with other visuals, and by
threads."""
import re
from dataclasses import dataclass

from .frames import Frames, counted, counting
from .measure import Figures, Run, complain, geometric_mean, interleaved, picked, run

# Scenes so light that presentation is a large part of a frame.
LIGHT = ('build', 'texture', 'pulsar')

# Scenes by bottleneck: (scene, size). In the small windows most of the model is in one of four tiles, so that a second
# thread has little to do.
BOUND = {
   'fragments: effect2d 5x5': ('effect2d:kernel=1,1,1,1,1;1,1,1,1,1;1,1,1,1,1;', '800x600'),
   'fragments: jellyfish': ('jellyfish:', '800x600'),
   'vertices: build': ('build:use-vbo=true', '800x600'),
   'vertices: bump': ('bump:bump-render=high-poly', '800x600'),
   'small window: build': ('build:use-vbo=true', '100x75'),
   'small window: bump': ('bump:bump-render=high-poly', '100x75'),
}

# Number of frames per run; fewer for the heaviest scenes.
WHOLE_FRAMES = 600
HEAVY_FRAMES = {'terrain': 100, 'refract': 200}
WHOLE_TIMEOUT_S = 300


@dataclass
class Played:
   """A finished run of a scene: glmark2's frames per second, the counted Frames, and the process' Run."""
   per_s: float
   frames: Frames
   run: Run


def play(bench, driver, scene, size=None, threads=None, off_screen=True, visual=None):
   """A scene Played for the bench's time; None if it gave no figure on that driver or with that visual."""
   return _play(bench, driver, f'{scene.rstrip(":")}:duration={bench.duration_s}', size, threads, off_screen, visual)


def _play(bench, driver, scene, size, threads, off_screen, visual, **more):
   command = ['glmark2-es2', '-s', size or bench.size, '-b', scene]
   command += ['--off-screen'] if off_screen else []
   command += ['--visual-config', visual] if visual else []
   done = run(command, bench.environment(driver, threads, **counting(bench, at='finish' if off_screen else 'swap')),
              **more)
   renderer = re.search(r'GL_RENDERER: *(\S+)', done.output)
   time_ms = re.search(r'FrameTime: *([0-9.]+) ms', done.output)
   if done.status is None or not time_ms or not renderer or not renderer.group(1).startswith(driver.renderer):
      return None
   if visual and not _has_visual(done.output, visual):
      complain(f'glmark2 has no window with {visual} on {driver.name}')
      return None
   frames = counted(done, driver)
   return Played(1000 / max(float(time_ms.group(1)), 1e-3), None if isinstance(frames, str) else frames, done)


def _has_visual(output, visual):
   """Whether the surface has at least the properties of `visual`."""
   config = re.search(r'Surface Config: *(.*)', output)
   found = dict(re.findall(r'(\w+)=(\d+)', config[1])) if config else {}
   return all(int(found.get(name, 0)) >= int(wanted) for name, wanted in re.findall(r'(\w+)=(\d+)', visual))


def tables(title, results, **more):
   """[frames per second, processor time a frame] of scenes Played."""
   return [Figures(title, 'FPS', picked(results, lambda one: one.per_s), **more),
           Figures(f'{title}: processor time a frame', 'ms',
                   picked(results, lambda one: one.frames and one.frames.cpu_ms), more_is_better=False)]


def off_screen(bench):
   results = interleaved(bench, 'scenes', bench.scenes, lambda driver, scene: play(bench, driver, scene))
   return [*tables('scene', results, score=True),
           Figures('scene: most memory', 'MB', picked(results, lambda one: one.run.memory_MB), more_is_better=False)]


def windowed(bench):
   light = [scene for scene in bench.scenes if scene.startswith(LIGHT)]
   results = interleaved(bench, 'windowed', light, lambda driver, scene: play(bench, driver, scene, off_screen=False))
   return tables('scene in a window', results)


def with_visual(bench, part, visual):
   """All scenes in a window, which has what a visual asks for (off-screen glmark2 does not heed it all); and what that
   costs: the same driver without."""
   rows = {scene + suffix: (scene, wanted) for scene in bench.scenes for suffix,
           wanted in (('', None), (f', {visual}', visual))}
   results = interleaved(bench, part, list(rows), lambda driver,
                         row: play(bench, driver, rows[row][0], off_screen=False, visual=rows[row][1]),
                         without_softpipe(bench))
   with_it, without = ({rows[row][0]: of for row, of in results.items() if bool(rows[row][1]) == wanted}
                       for wanted in (True, False))
   by, other = tables(f'scene with {visual}', with_it), tables('', without)
   return by + [Figures(f'{title} by {visual}', 'times', proportions(one.results(), two.results()), one.more_is_better)
                for title, one, two in zip(('frames per second', 'processor time a frame'), by, other)]


def proportions(ones, others):
   """{row: {driver: [one by other]}} of results of Figures with the same rows; and the geometric mean of all rows."""
   rows = {row: {driver: [value / others[row][driver] if value and others[row][driver] else None] for driver,
                 value in of.items()}
           for row, of in ones.items()}
   drivers = list(next(iter(rows.values()), {}))
   common = {driver: [of[driver][0] for of in rows.values() if of[driver][0]] for driver in drivers}
   return rows | {'all, geometric mean': {driver: [geometric_mean(of) if of else None] for driver,
                                          of in common.items()}}


def without_softpipe(bench):
   """Without softpipe, which has no threads and is slow."""
   return [driver for driver in bench.drivers if driver.name != 'softpipe']


def counts_of_threads():
   """0 threads: the application's own thread draws."""
   return {f'{count} thread{"s" * (count != 1)}': count for count in (0, 1, 2)}


def threads(bench):
   rows = {f'{name}, {title}': (*of, count) for name, of in BOUND.items() for title,
           count in counts_of_threads().items()}
   results = interleaved(bench, 'threads', list(rows), lambda driver, row: play(bench, driver, *rows[row]),
                         without_softpipe(bench))
   figures = tables('scene and threads', results)
   return figures + by_threads(*(one.results() for one in figures))


def by_threads(per_s, cpu_ms):
   """Scaling from one thread to two: speed-up, and growth of processor time."""
   def both(results):
      return proportions(*({row.rpartition(',')[0]: of for row, of in results.items() if row.endswith(count)}
                           for count in (', 2 threads', ', 1 thread')))
   return [Figures('1 to 2 threads', 'times', both(per_s)),
           Figures('1 to 2 threads: processor time', 'times', both(cpu_ms), more_is_better=False)]


def whole(bench):
   """Processor time of a whole process, for a given number of frames."""
   counts = counts_of_threads()
   rows = {f'{scene}, {title}': (scene, count) for scene in bench.scenes for title, count in counts.items()}
   results = interleaved(bench, 'whole', list(rows), lambda driver, row: _play_whole(bench, driver, *rows[row]),
                         without_softpipe(bench), rounds=1)
   cpu_s = picked(results, lambda one: one.run.cpu_s)
   none, one, two = (Figures(f'scene from start to end, {title}: processor time', 's',
                             {scene: cpu_s[f'{scene}, {title}'] for scene in bench.scenes},
                             more_is_better=False) for title in counts)
   return [none, one, two, Figures('1 to 2 threads: processor time', 'times',
                                   proportions(two.results(), one.results()), more_is_better=False)]


def _play_whole(bench, driver, scene, threads):
   frames = HEAVY_FRAMES.get(scene.partition(':')[0], WHOLE_FRAMES)
   return _play(bench, driver, f'{scene.rstrip(":")}:nframes={frames}', None, threads, True, None,
                timeout_s=WHOLE_TIMEOUT_S)
