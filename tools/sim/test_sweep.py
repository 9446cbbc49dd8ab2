#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""clipfree sim sweep and plot: rows are those of clipfree sim; jobs that die are run again, or named; a sweep that was
interrupted goes on; what is refused, and why. clipfree sim --sample: totals and intervals, against all frames.

Usage: test_sweep.py CLIPFREE-SIM CLIPFREE-REPLAY CLIPFREE-ASM
"""
import fcntl
import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import time
import unittest
from contextlib import closing, suppress
from pathlib import Path
from unittest import mock
from xml.etree import ElementTree

import jsonschema

from test_sim import ASM, HERE, SCHEMA, SIM, Made, sim  # takes the arguments
from captures import Captured
import machines
import sample
import sim_tool
import sweep_table

FRAMES = 40
SIZE_PX = 64


def queried(table, text):
   with closing(sqlite3.connect(table)) as base:
      return base.execute(text).fetchall()


def jobs_of(folder):
   """Processes whose command line has the folder, and --job."""
   found = []
   for path in Path("/proc").glob("[0-9]*/cmdline"):
      with suppress(OSError):
         words = path.read_bytes().split(b"\0")
         found += [words] if b"--job" in words and str(folder.resolve()).encode() in words else []
   return found


class Swept(Made):
   """A capture, and a build whose clipfree-sim may be made to fail."""

   def setUp(self):
      super().setUp()
      self.random_frame()
      self.table = self.folder / "s" / "sweep.sqlite"

   def faulty(self, line):
      """A build whose clipfree-sim runs a line of the shell first; "$in" has the machines."""
      path = self.folder / "build/tools/sim/clipfree-sim"
      path.parent.mkdir(parents=True, exist_ok=True)
      path.write_text(f'#!/bin/sh\nin=$(mktemp)\ncat >$in\n{line}\nrm $in.* 2>/dev/null\nexec {SIM} "$@" <$in\n')
      path.chmod(0o755)
      return self.folder / "build"

   def sweep(self, *words, machine="paper-d", build=None):
      environment = dict(os.environ, CLIPFREE_BUILD=str(build or SIM.parents[2]), TMPDIR=str(self.folder))
      return subprocess.run([HERE / "sim", "sweep", machine, "-o", self.folder / "s", *map(str, words)],
                            capture_output=True, text=True, check=False, env=environment)

   def swept(self, *words, **more):
      done = self.sweep(*words, **more)
      self.assertEqual(done.returncode, 0, done.stderr)
      return done

   def refused_sweep(self, message, *words, **more):
      done = self.sweep(*words, **more)
      self.assertEqual(done.returncode, 1, done.stdout)
      self.assertNotIn("Traceback", done.stderr)
      self.assertIn(message, done.stderr)


@unittest.skipUnless(shutil.which("parallel"), "parallel is not installed")
class Rows(Swept):
   def test_rows_are_those_of_sim(self):
      over = ("z.ways=1,2,4", "z.size_B=1024,4096,65536", "z.prefetch=none,dprt")
      self.swept(*[w for o in over for w in ("--over", o)], "--mode", "cycles", self.path)
      document = self.answer("--machine", "paper-d", *[w for o in over for w in ("--set", o)], "--mode", "cycles")
      self.assertEqual(queried(self.table, "SELECT count(*), count(DISTINCT machine) FROM runs"), [(18, 18)])
      for machine in document["machines"]:
         where = f"FROM {{}} JOIN runs USING (run) WHERE machine = '{machine['machine']}'"
         counters = dict(queried(self.table, "SELECT name, value " + where.format("counters")))
         self.assertEqual(counters, sweep_table.by_name(machine))
         parameters = dict(queried(self.table, "SELECT name, value " + where.format("parameters")))
         self.assertEqual(parameters, {k: str(v).lower() if isinstance(v, bool) else v
                                       for k, v in machine["parameters"].items()})
      one = document["machines"][5]
      seen = queried(self.table, 'SELECT "z.ways", "z.size_B", z_hit_rate, "timed.cycles" FROM results '
                     f"WHERE machine = '{one['machine']}'")
      self.assertEqual(seen, [(one["parameters"]["z.ways"], one["parameters"]["z.size_B"],
                               one["counters"]["z_hit_rate"], one["timed"]["cycles"])])
      self.assertEqual(queried(self.table, "PRAGMA user_version"), [(sweep_table.VERSION,)])

   def test_recordings_and_captures(self):
      recording = self.folder / "other.rec"
      self.assertEqual(sim("--record", recording, self.path).returncode, 0)
      self.swept("--over", "z.ways=1,2", self.path, recording)
      rows = queried(self.table, "SELECT capture, z_hits FROM results ORDER BY machine")
      self.assertEqual([name for name, _ in rows], ["frame", "other"] * 2)
      self.assertEqual(rows[0][1], rows[1][1])

   def test_again_runs_nothing(self):
      self.swept("--over", "z.ways=1,2", self.path)
      rows = {path: path.stat().st_mtime_ns for path in (self.folder / "s/rows").iterdir()}
      self.table.unlink()
      self.swept("--over", "z.ways=1,2", self.path)
      self.assertEqual(rows, {path: path.stat().st_mtime_ns for path in (self.folder / "s/rows").iterdir()})
      self.assertEqual(len(queried(self.table, "SELECT * FROM runs")), 2)

   def test_damaged_row(self):
      """One that is not whole is no row."""
      self.swept("--over", "z.ways=1,2", self.path)
      row, = (self.folder / "s/rows").iterdir()
      good = row.read_bytes()
      for bad in (b"", good[:100], b"{}", good.replace(b"z.ways=2", b"z.ways=3")):
         row.write_bytes(bad)
         self.swept("--over", "z.ways=1,2", self.path)
         self.assertEqual(row.read_bytes(), good)


   def test_changed_meanwhile(self):
      """A job runs with the build and the captures that the sweep began with, or says that they changed."""
      folder = self.folder / "s"
      self.swept("--over", "z.ways=1,2", self.path)
      (folder / "rows/1.json").unlink()
      (folder / "recordings/frame.rec").unlink()
      for build, job, why in ((self.faulty(":"), "1", "it was built anew since the sweep began"),
                              (SIM.parents[2], "0", "it changed since the sweep began")):
         with open(self.path, "ab") as file:
            file.write(b"x")
         done = subprocess.run([HERE / "sim", "sweep", "--job", folder, job], capture_output=True, text=True,
                               check=False, env=dict(os.environ, CLIPFREE_BUILD=str(build)))
         self.assertEqual(done.returncode, 1)
         self.assertIn(why, (folder / f"log/{job}.txt").read_text())
      self.assertFalse((folder / "rows/1.json").exists() or (folder / "recordings/frame.rec").exists())


@unittest.skipUnless(shutil.which("parallel"), "parallel is not installed")
class Dying(Swept):
   """Nine machines are two jobs; the second one has the last of them alone."""
   OVER = ("--over", "z.ways=1,2,4", "--over", "texture.ways=1,2,4")
   LAST = "paper-d[z.ways=4,texture.ways=4]"
   IS_LAST = '[ $(grep -c ^machine $in) = 1 ] && [ "$3" = --mode ]'

   def test_killed_once(self):
      mark = self.folder / "killed"
      build = self.faulty(f"{self.IS_LAST} && [ ! -e {mark} ] && touch {mark} && kill -9 $$")
      done = self.swept(*self.OVER, self.path, build=build)
      self.assertIn("1 jobs ended without a row; they are run again", done.stderr)
      self.assertTrue(mark.exists())
      self.assertEqual(queried(self.table, "SELECT count(*) FROM runs"), [(9,)])
      self.assertEqual(queried(self.table, "SELECT * FROM missing"), [])

   def test_killed_always(self):
      """What died is named, and not counted; when it lives, the same command finds the rest."""
      mark = self.folder / "alive"
      build = self.faulty(f"{self.IS_LAST} && [ ! -e {mark} ] && kill -9 $$")
      self.refused_sweep(f"no row of {self.LAST} on frame: clipfree-sim: it was ended by SIGKILL", *self.OVER,
                         self.path, build=build)
      self.refused_sweep("1 of 9 runs are missing in", *self.OVER, self.path, build=build)
      self.assertEqual(queried(self.table, "SELECT count(*) FROM runs"), [(8,)])
      self.assertEqual(queried(self.table, "SELECT machine, why FROM missing"),
                       [(self.LAST, "clipfree-sim: it was ended by SIGKILL")])
      mark.touch()
      self.swept(*self.OVER, self.path, build=build)
      self.assertEqual(queried(self.table, "SELECT count(*) FROM runs"), [(9,)])

   def test_worker_killed(self):
      """The job's own program, which says nothing then."""
      build = self.faulty(f"{self.IS_LAST} && kill -9 $PPID")
      self.refused_sweep(f"no row of {self.LAST} on frame: it was ended before it could say why", *self.OVER,
                         self.path, build=build)

   def test_interrupted(self):
      """Who ends a sweep ends its jobs; the same command goes on."""
      mark, started = self.folder / "go", self.folder / "started"
      build = self.faulty(f'[ "$3" = --mode ] && [ ! -e {mark} ] && touch {started} && exec sleep 77')
      environment = dict(os.environ, CLIPFREE_BUILD=str(build), TMPDIR=str(self.folder))
      process = subprocess.Popen([HERE / "sim", "sweep", "paper-d", "-o", self.folder / "s", *self.OVER, self.path],
                                 stderr=subprocess.PIPE, text=True, env=environment)
      while not started.exists() and process.poll() is None:
         time.sleep(0.05)
      process.terminate()
      said = process.communicate(timeout=30)[1]
      self.assertEqual(process.returncode, 130, said)
      self.assertIn("interrupted; what is done is in", said)
      self.assertEqual(jobs_of(self.folder / "s"), [])
      mark.touch()
      self.swept(*self.OVER, self.path, build=build)

   def test_recording_fails(self):
      build = self.faulty('[ "$1" = --record ] && kill -9 $$')
      self.refused_sweep("9 of 9 runs are missing", *self.OVER,
                         self.path, build=build)
      self.assertEqual(queried(self.table, "SELECT count(*) FROM missing WHERE why LIKE '%SIGKILL'"), [(9,)])


class Refused(Swept):
   def test_parameters(self):
      self.refused_sweep("--over z.wayz=1: there is no parameter z.wayz; there are z.size_B, z.ways", "--over",
                         "z.wayz=1", self.path)
      self.refused_sweep("--over z.ways=65: it may be a number from 0 to 64", "--over", "z.ways=1,65", self.path)
      self.refused_sweep("--over z.ways is given twice", "--over", "z.ways=1", "--over", "z.ways=2", self.path)
      self.refused_sweep("z.ways=2]: a value is given twice", "--over", "z.ways=1,2,2", self.path)
      self.refused_sweep("paper-d[z.policy=optimal]: z.prefetch and z.policy optimal", "--over",
                         "z.policy=lru,optimal", self.path)
      self.refused_sweep("there is no machine paper-z", self.path, machine="paper-z")
      self.assertFalse((self.folder / "s").exists())

   def test_captures(self):
      self.refused_sweep("x.cap: No such file", self.folder / "x.cap")
      twice = self.folder / "twice.cap"
      shutil.copy(self.path, twice)
      self.refused_sweep("are the same; give it once", self.path, twice)
      other = self.folder / "b" / self.path.name
      other.parent.mkdir()
      other.write_bytes(self.path.read_bytes() + b"x")
      self.refused_sweep("two captures have the name frame", self.path, other)

   @unittest.skipUnless(shutil.which("parallel"), "parallel is not installed")
   def test_damaged_capture(self):
      damaged = self.folder / "damaged.cap"
      damaged.write_bytes(self.path.read_bytes()[:-100])
      self.refused_sweep("no row of paper-d on damaged: ", damaged)
      self.assertEqual(list((self.folder / "s/recordings").iterdir()), [])

   @unittest.skipUnless(shutil.which("parallel"), "parallel is not installed")
   def test_folder_of_another_sweep(self):
      self.swept("--over", "z.ways=1,2", self.path)
      for words, what in ((("--over", "z.ways=1,4", self.path), "machines"),
                          (("--over", "z.ways=1,2", "--mode", "cycles", self.path), "--mode"),
                          (("--over", "z.ways=1,2", "--sample", "5", self.path), "--sample")):
         self.refused_sweep(f"holds another sweep, with other {what}; name another folder with -o", *words)
      plan = self.folder / "s/sweep.json"
      plan.write_text(plan.read_text()[:-20])
      self.refused_sweep("sweep.json: it is damaged; delete", "--over", "z.ways=1,2", self.path)

   def test_other_folder(self):
      (self.folder / "s").mkdir()
      (self.folder / "s/mine").touch()
      self.refused_sweep("is no sweep's folder, and not empty", self.path)
      self.assertEqual(sorted(p.name for p in (self.folder / "s").iterdir()), ["lock", "mine"])

   def test_two_at_once(self):
      (self.folder / "s").mkdir()
      with open(self.folder / "s/lock", "w") as lock:
         fcntl.flock(lock, fcntl.LOCK_EX)
         self.refused_sweep("another clipfree sim sweep is at work in", self.path)

   def test_not_writable(self):
      (self.folder / "s").write_text("mine")
      self.refused_sweep("s is a file; name a folder with -o", self.path)

   def test_no_parallel(self):
      environment = dict(os.environ, CLIPFREE_BUILD=str(SIM.parents[2]), PATH=str(self.folder))
      done = subprocess.run([sys.executable, HERE / "sim", "sweep", "paper-d", "-o", self.folder / "s", self.path],
                            capture_output=True, text=True, check=False, env=environment)
      self.assertIn("GNU parallel is missing; apt-get install parallel", done.stderr)


@unittest.skipUnless(shutil.which("parallel"), "parallel is not installed")
class Plots(Swept):
   def plot(self, *words):
      return sim("plot", self.folder / "s", *words)

   def test_plot(self):
      try:
         import matplotlib  # noqa: F401
      except ImportError:
         self.skipTest("matplotlib is not installed")
      self.swept("--over", "z.size_B=1024,2048,4096", "--over", "z.ways=1,4", self.path)
      picture = self.folder / "a.svg"
      words = ("--x", "z.size_B", "--y", "z_hit_rate", "--by", "z.ways")
      files = []
      for _ in range(2):
         done = self.plot("-o", picture, *words)
         self.assertEqual(done.returncode, 0, done.stderr)
         files.append(picture.read_bytes())
      self.assertEqual(files[0], files[1])
      self.assertTrue(ElementTree.fromstring(files[0]).tag.endswith("svg"))
      for text in (b"z.ways = 4", b"z_hit_rate", b"1024"):
         self.assertIn(text, files[0])
      self.assertEqual(self.plot("-o", self.folder / "a.png", *words).returncode, 0)
      self.assertEqual((self.folder / "a.png").read_bytes()[:4], b"\x89PNG")
      for wrong, why in ((("--x", "z.size_B", "--y", "z_hit_rate"), "z.ways has several values, too: give --by z.ways"),
                         (("--x", "z.size", "--y", "z_hit_rate"), "--x z.size: the sweep has none of that name"),
                         (("--x", "z.size_B", "--y", "z_rate"), "--y z_rate: the sweep has none"),
                         ((*words, "--where", "z.ways=9"), "--where z.ways=9: no run has it; there are 1, 4")):
         done = self.plot("-o", picture, *wrong)
         self.assertEqual(done.returncode, 1)
         self.assertIn(why, done.stderr)
      self.assertIn("its name may end in .svg or .png", self.plot("-o", "a.pdf", *words).stderr)
      self.assertEqual(picture.read_bytes(), files[0])
      picture.write_text("x")
      self.assertIn("it is no sweep's SQLite file", sim("plot", picture, "-o", "b.svg", *words).stderr)


class Sampled(Made):
   """Frames of a recording, some of them for all."""

   def setUp(self):
      super().setUp()
      self.recording = self.folder / "frames.rec"
      self.write_frames(random.Random(18))
      self.assertEqual(sim("--record", self.recording, self.path).returncode, 0)

   def write_frames(self, numbers):
      """The first half has few triangles a frame, the second half many."""
      c = self.capture = Captured(ASM)
      color, zs = (c.surface(form, SIZE_PX, SIZE_PX) for form in ("r8g8b8a8_unorm", "z24_unorm_s8_uint"))
      for frame in range(FRAMES):
         c.frame(color, zs, SIZE_PX, SIZE_PX)
         c.packet("clear", max_x_px=SIZE_PX, max_y_px=SIZE_PX, depth=True, depth_value=1.0)
         c.packet("depth_stencil", depth_test=True, depth_write=True, depth_func="less")
         for _ in range(2 + numbers.randrange(3) + frame // (FRAMES // 2) * 9):
            self.triangle([(numbers.uniform(-1, 1), numbers.uniform(-1, 1)) for _ in range(3)], numbers.uniform(-1, 1))
         c.submit()
         c.present(color[0])
      c.write(self.path)

   def machine(self, *options):
      """Its caches are too small for what a frame draws, so that each frame has misses of its own."""
      done = sim("--json", "--machine", "paper-e", "--set", "z.size_B=1024", *options, self.recording)
      self.assertEqual(done.returncode, 0, done.stderr)
      document = json.loads(done.stdout)
      jsonschema.Draft202012Validator(SCHEMA).validate(document)
      return document["machines"][0]

   def test_all_frames(self):
      """The sum of all frames, each alone, is that of a run of all."""
      for mode in ("hits", "cycles"):
         whole, parts = (sweep_table.by_name(self.machine("--mode", mode, *words)) for words in
                         ((), ("--sample", FRAMES)))
         self.assertEqual(whole["frames"], FRAMES)
         self.assertEqual({k: v for k, v in parts.items() if v is not None},
                          {k: v for k, v in whole.items() if parts[k] is not None})
         self.assertEqual({k for k, v in parts.items() if v is None and whole[k] is not None},
                          {f"{c}_compulsory_misses" for c in ("texture", "z", "color")})

   def test_some_frames(self):
      """Intervals hold what all frames have, of 95 % of counters, or a little less where frames are few and differ
      much; what features count is exact."""
      whole = sweep_table.by_name(self.machine("--mode", "cycles"))
      held, errors, widths = [], [], []
      for seed in range(1, 21):
         some = self.machine("--mode", "cycles", "--sample", 14, "--seed", seed)
         values = sweep_table.by_name(some)
         self.assertEqual([values[n] for n in ("frames", "quads", "draws")], [whole[n] for n in
                                                                             ("frames", "quads", "draws")])
         self.assertEqual([len(some["sample"]["frames"]), some["sample"]["of"]], [14, FRAMES])
         self.assertEqual([some["sample"]["frames"][i] for i in (0, -1)], [0, FRAMES - 1])
         errors.append(abs(values["timed.cycles"] / whole["timed.cycles"] - 1))
         low, high = some["intervals"]["timed.cycles"]
         widths.append((high - low) / 2 / whole["timed.cycles"])
         held += [low - 1e-6 <= whole[name] <= high + 1e-6 for name, (low, high) in some["intervals"].items()]
      self.assertGreater(sum(held) / len(held), 0.9)
      self.assertLess(sum(errors) / len(errors), 0.08)
      self.assertLess(sum(widths) / len(widths), 0.3)

   def test_warm(self):
      """The frame before each frame that is counted runs, too."""
      asked = []

      def answer_of(arguments, machines_=()):
         asked.append(list(map(str, arguments)))
         return json.loads(sim_tool.output_of(arguments, machines_))

      with mock.patch.object(sim_tool, "SIM", SIM), mock.patch.object(sim_tool, "answer_of", answer_of):
         text = sample.sampled(self.recording, machines.load("paper-e"), "hits", 8, 1)
      picks = json.loads(text)["machines"][0]["sample"]["frames"]
      words = asked[1]
      self.assertEqual(words[words.index("--frames") + 1],
                       ",".join(map(str, sorted({f for p in picks for f in (max(p - 1, 0), p)}))))

   def test_seed(self):
      one, same, other = (self.machine("--sample", 14, "--seed", seed) for seed in (1, 1, 2))
      self.assertEqual(one, same)
      self.assertNotEqual(one["sample"]["frames"], other["sample"]["frames"])

   @unittest.skipUnless(shutil.which("parallel"), "parallel is not installed")
   def test_sweep(self):
      done = sim("sweep", "paper-e", "--over", "z.size_B=1024", "--over", "z.ways=1,4", "--sample", 14, "-o",
                 self.folder / "s", self.recording)
      self.assertEqual(done.returncode, 0, done.stderr)
      table = self.folder / "s/sweep.sqlite"
      self.assertEqual(queried(table, "SELECT frames, of_frames FROM runs"), [(14, FRAMES)] * 2)
      one = self.machine("--sample", 14, "--set", "z.ways=4")
      seen = queried(table, "SELECT c.value, low, high FROM counters c JOIN parameters p USING (run) "
                     "WHERE c.name = 'z_hits' AND p.name = 'z.ways' AND p.value = 4")
      self.assertEqual(seen, [(one["counters"]["z_hits"], *one["intervals"]["z_hits"])])

   def test_refused(self):
      for words, why in ((("--sample", 4, self.recording), "--sample 4: it may be a number from 5"),
                         (("--sample", "x", self.recording), "x: it may be a number from 1"),
                         (("--sample", 9, self.path), "--sample needs a recording; make one with clipfree sim"),
                         (("--sample", 9, "--curves", self.recording), "--sample goes with neither"),
                         (("--sample", 9, "--set", "z.policy=optimal", self.recording), "z.policy than optimal")):
         self.refused(why, *words)

   def test_frames_of_the_tool(self):
      """clipfree-sim's lists of frames, boundaries first."""
      for bad in ("", ",", "1,", ",1", "1,1", "2,1", "-1", "x", "1x", "4294967295", "1 ,2"):
         done = subprocess.run([SIM, "--frames", bad, self.recording], capture_output=True, text=True, check=False)
         self.assertEqual(done.returncode, 2, bad)
         self.assertIn("--frames", done.stderr)
      done = subprocess.run([SIM, "--frames", "0,3,39,40", "--features", self.recording], capture_output=True,
                            text=True, check=True)
      document = json.loads(done.stdout)
      self.assertEqual([f["frame"] for f in document["frames"]], [0, 3, 39])
      self.assertEqual([f["frame"] for f in document["features"]], list(range(FRAMES)))


class Estimates(unittest.TestCase):
   """The arithmetic of samples, without a GPU."""

   def test_quantile(self):
      """Of a table of Student's distribution, 97.5 %."""
      for freedom, value in ((1, 12.706), (2, 4.303), (3, 3.182), (5, 2.571), (10, 2.228), (30, 2.042), (1e6, 1.960)):
         self.assertAlmostEqual(sample.quantile(freedom) / value, 1, delta=0.01)

   def test_total(self):
      """By hand: 4 frames with 1 and 3 seen; one frame of 5; variance 16 / 2 x (1 - 2/4) x 2 with one degree."""
      chosen, seen = [([7], [7]), ([0, 1, 2, 3], [0, 2])], {7: 5, 0: 1, 2: 3}
      self.assertEqual(sample.total(chosen, seen), 13)
      self.assertAlmostEqual(sample.half_width(chosen, seen), 12.7062 * 8 ** 0.5, places=3)
      self.assertEqual(sample.half_width([([0, 1], [0, 1])], {0: 1, 1: 9}), 0)

   def test_write_backs(self):
      """They are as uncertain as fills, if they are not more so; the bus has those of all caches."""
      found = sample.widened({"z_fills": (10, 8.0, 12.0), "z_write_backs": (9, 9.0, 9.0), "color_fills": (5, 4.0, 6.0),
                              "color_write_backs": (3, 1.0, 5.0), "texture_write_backs": (None, None, None),
                              "bus_writes": (12, 11.0, 13.0)})
      self.assertEqual(found["z_write_backs"], (9, 7.0, 11.0))
      self.assertEqual(found["color_write_backs"], (3, 1.0, 5.0))
      self.assertEqual(found["bus_writes"], (12, 9.0, 15.0))
      self.assertEqual(found["z_fills"], (10, 8.0, 12.0))
      alone = {"bus_writes": (None, None, None), "z_write_backs": (1, 1.0, 1.0)}
      self.assertEqual(sample.widened(alone), alone)

   def test_strata(self):
      numbers = random.Random(1)
      points = [[numbers.random() + (50 if i % 3 else 0), numbers.random()] for i in range(30)]
      two = sample.strata(points, range(30), 2)
      self.assertEqual({tuple(part) for part in two}, {tuple(i for i in range(30) if bool(i % 3) == side)
                                                       for side in (False, True)})
      for count in range(1, 30):
         parts = sample.strata(points, range(30), count)
         self.assertEqual(sorted(m for part in parts for m in part), list(range(30)))
         self.assertLessEqual(len(parts), count)
         self.assertGreaterEqual(min(map(len, parts)), min(sample.EACH, 30))
      self.assertEqual(sample.strata([[1.0]] * 9, range(9), 3), [list(range(9))])

   def test_intervals_hold(self):
      """Of 400 recordings whose totals are known, intervals hold the total of 95 %, and a ratio's, within what chance
      does; and they are narrower than those without strata."""
      numbers = random.Random(7)
      held, held_ratio, narrower = 0, 0, 0
      for seed in range(400):
         features = [{"frame": i, "quads": round(1000 * (2 + i // 50) * numbers.uniform(0.8, 1.2))} for i in range(200)]
         y = [f["quads"] * 3 + numbers.gauss(0, 400) for f in features]
         chosen = sample.choose(features, 29, seed)
         self.assertEqual(sum(len(picks) for _, picks in chosen), 29)
         seen = {i: {"y": y[i], "x": features[i]["quads"]} for _, picks in chosen for i in picks}
         alone = {i: values["y"] for i, values in seen.items()}
         width = sample.half_width(chosen, alone)
         held += abs(sample.total(chosen, alone) - sum(y)) <= width
         rate, rate_width = sample.rate_and_width(chosen, seen, ({"y": 1}, "x"))
         held_ratio += abs(rate - sum(y) / sum(f["quads"] for f in features)) <= rate_width
         plain = [(list(range(200)), sorted(numbers.sample(range(200), 29)))]
         narrower += width < sample.half_width(plain, dict(enumerate(y)))
      for count in (held, held_ratio):
         self.assertGreater(count, 0.92 * 400)
         self.assertLess(count, 400)
      self.assertGreater(narrower, 390)

   def test_ratios(self):
      known = {"z_hits": 3, "z_requests": 4, "z_hit_rate": 0.75, "timed.z_requests": 1, "timed.color_requests": 2,
               "timed.cycles": 6, "timed.requests_per_cycle": 0.5, "timed.gpu.texels": 9,
               "timed.gpu.texels_per_cycle": 1.5, "timed.gpu.l2_requests": 5, "timed.gpu.l2_misses": 1,
               "timed.gpu.l2_hit_rate": 0.8, "timed.gpu.quads_per_cycle": 0.5, "odd": 0.5, "none_hit_rate": None,
               "none_hits": 0, "none_requests": 0, "timed.part.vertices": 4, "timed.part.cycles_per_vertex": 1.5,
               "timed.part.latency_cycles": 10, "timed.part.latency": 2.5, "timed.part.data_written": 7,
               "timed.part.words_written": 2, "timed.part.data_per_word": 3.5}
      for name, ratio in (("z_hit_rate", ({"z_hits": 1}, "z_requests")),
                          ("timed.requests_per_cycle", ({"timed.z_requests": 1, "timed.color_requests": 1},
                                                        "timed.cycles")),
                          ("timed.gpu.texels_per_cycle", ({"timed.gpu.texels": 1}, "timed.cycles")),
                          ("timed.gpu.l2_hit_rate", ({"timed.gpu.l2_requests": 1, "timed.gpu.l2_misses": -1},
                                                     "timed.gpu.l2_requests")),
                          ("timed.part.cycles_per_vertex", ({"timed.cycles": 1}, "timed.part.vertices")),
                          ("timed.part.latency", ({"timed.part.latency_cycles": 1}, "timed.part.vertices")),
                          ("timed.part.data_per_word", ({"timed.part.data_written": 1}, "timed.part.words_written")),
                          ("timed.gpu.quads_per_cycle", None), ("odd", None), ("none_hit_rate", None)):
         self.assertEqual(sample.ratio_of(name, known), ratio)
      self.assertIsNone(sample.ratio_of("z_hit_rate", known | {"z_hit_rate": 0.7}))

   def test_left_out(self):
      """A counter that is not there is 0; what is no number stays."""
      so_far = [(0, {"a": 1}), (1, {"a": 3, "b": 4}), (2, {"a": 3, "b": 5, "ok": True, "r": 0.5})]
      seen = sample.alone(so_far)
      self.assertEqual([seen[i]["b"] for i in range(3)], [0, 4, 1])
      values = sample.estimates([([i], [i]) for i in range(3)], seen, so_far[-1][1], [{"frame": i} for i in range(3)])
      self.assertEqual(values, {"a": (3, 3, 3), "b": (5, 5, 5), "ok": (True, None, None), "r": (None, None, None)})


if __name__ == "__main__":
   unittest.main()
