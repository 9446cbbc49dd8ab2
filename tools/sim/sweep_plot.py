# SPDX-License-Identifier: MIT
"""clipfree sim plot SWEEP.sqlite -o FILE.svg|png --x PARAMETER --y COUNTER [--by PARAMETER]. docs/sweep.md."""
import argparse
import os
from contextlib import closing
from pathlib import Path

import sweep_table
from machines import Wrong

FORMATS = (".svg", ".png")
SIZE_IN = (7, 4.5)
PLACES = ("capture", "machine")   # what tells runs apart beside parameters


def arguments():
   parser = argparse.ArgumentParser(prog="clipfree sim plot", description="Draw a counter of a sweep.",
                                    epilog="docs/sweep.md")
   parser.add_argument("table", metavar="SWEEP.sqlite", help="or the sweep's folder")
   parser.add_argument("-o", "--output", required=True, metavar="FILE", help="an .svg or a .png")
   parser.add_argument("--x", required=True, metavar="PARAMETER")
   parser.add_argument("--y", required=True, metavar="COUNTER", help="such as z_hit_rate, or timed.cycles")
   parser.add_argument("--by", action="append", default=[], metavar="PARAMETER",
                       help="a line for each value; also 'capture', by which there are lines anyway")
   parser.add_argument("--where", action="append", default=[], metavar="PARAMETER=VALUE",
                       help="only runs that have this value; also capture=NAME")
   return parser


# ---------------------------------------------------------------- runs

def run_values(base):
   """{run: {parameter or place: value}}"""
   runs = {run: {"machine": machine, "capture": capture} for run, machine, capture in
           base.execute("SELECT run, machine, c.name FROM runs JOIN captures c USING (capture) ORDER BY run")}
   for run, name, value in base.execute("SELECT run, name, value FROM parameters"):
      runs[run][name] = value
   return runs


def check_name(name, known, what):
   if name not in known:
      group = [k for k in known if k.split("_")[0] == name.split("_")[0] or k.split(".")[0] == name.split(".")[0]]
      raise Wrong(f"{what} {name}: the sweep has none of that name; there are {', '.join(sorted(group or known))}")


def kept(runs, wheres):
   """Runs that have the values that --where names."""
   for where in wheres:
      name, _, value = where.partition("=")
      check_name(name, next(iter(runs.values())), "--where")
      left = {run: values for run, values in runs.items() if str(values[name]) == value}
      if not left:
         there = ", ".join(sorted({str(values[name]) for values in runs.values()}))
         raise Wrong(f"--where {where}: no run has it; there are {there}")
      runs = left
   return runs


def varying(runs):
   """Parameters of which there are several values."""
   first = next(iter(runs.values()))
   return [name for name in first if name not in PLACES and len({values[name] for values in runs.values()}) > 1]


def lines(base, given):
   """{label: [(x, y, low, high)]}"""
   runs = run_values(base)
   if not runs:
      raise Wrong(f"{given.table}: it has no runs")
   known = next(iter(runs.values()))
   for name, what in [(given.x, "--x"), *((by, "--by") for by in given.by)]:
      check_name(name, known, what)
   check_name(given.y, {name for name, in base.execute("SELECT DISTINCT name FROM counters")}, "--y")
   runs = kept(runs, given.where)
   others = [name for name in varying(runs) if name not in (given.x, *given.by)]
   if others and "machine" not in (given.x, *given.by):
      example = next(iter(runs.values()))[others[0]]
      raise Wrong(f"{', '.join(others)} has several values, too: give --by {others[0]}, or --where "
                  f"{others[0]}={example}")
   found = {}
   for run, y, low, high in base.execute("SELECT run, value, low, high FROM counters WHERE name = ? ORDER BY run",
                                         (given.y,)):
      if run in runs and y is not None:
         label = ", ".join([runs[run]["capture"]] * ("capture" not in (given.x, *given.by))
                           + [str(runs[run][by]) if by in PLACES else f"{by} = {runs[run][by]}" for by in given.by])
         found.setdefault(label, []).append((runs[run][given.x], y, low, high))
   if not found:
      raise Wrong(f"--y {given.y}: no run has a value of it")
   return {label: sorted(points) if all(isinstance(p[0], (int, float)) for p in points) else points
           for label, points in found.items()}


# ---------------------------------------------------------------- the picture

def is_doubling(values):
   """Powers of two, so that a logarithmic axis shows them best."""
   return len(values) > 2 and all(isinstance(v, int) and v > 0 and v & (v - 1) == 0 for v in values)


def draw(found, given):
   """A figure. Matplotlib is needed here alone."""
   try:
      import matplotlib
   except ImportError as error:
      raise Wrong("matplotlib is missing; apt-get install python3-matplotlib") from error
   matplotlib.use("Agg")
   matplotlib.rcParams["svg.hashsalt"] = "clipfree"   # so that the same sweep gives the same file
   from matplotlib import pyplot
   figure, axes = pyplot.subplots(figsize=SIZE_IN, layout="constrained")
   for label, points in found.items():
      xs, ys = ([p[i] for p in points] for i in (0, 1))
      xs = xs if isinstance(xs[0], (int, float)) else [str(x) for x in xs]
      line, = axes.plot(xs, ys, marker="o", markersize=4, label=label)
      if all(p[2] is not None for p in points):
         axes.fill_between(xs, [p[2] for p in points], [p[3] for p in points], color=line.get_color(), alpha=0.2,
                           linewidth=0)
   all_x = sorted({p[0] for points in found.values() for p in points}, key=str)
   if is_doubling(all_x):
      axes.set_xscale("log", base=2)
      axes.set_xticks(all_x, [str(x) for x in all_x])
   axes.set_xlabel(given.x)
   axes.set_ylabel(given.y)
   axes.grid(alpha=0.3)
   axes.legend(fontsize="small")
   return figure


def main(words):
   given = arguments().parse_args(words)
   output = Path(given.output)
   if output.suffix not in FORMATS:
      raise Wrong(f"-o {output}: its name may end in {' or '.join(FORMATS)}")
   with closing(sweep_table.opened(given.table)) as base:
      figure = draw(lines(base, given), given)
   beside = output.with_name(f".{output.name}.{os.getpid()}{output.suffix}")
   try:
      figure.savefig(beside, metadata={"Date": None} if output.suffix == ".svg" else None)
      os.replace(beside, output)
   finally:
      beside.unlink(missing_ok=True)
   return 0
