# SPDX-License-Identifier: MIT
"""clipfree sim figures CAPTURES -o FOLDER: the papers' figures beside ours, from sweeps. docs/papers.md shows them."""
import argparse
import os
from contextlib import closing
from pathlib import Path

import figures_draw
import sweep
import sweep_table
from machines import Wrong

# Sweeps of a figure: what `clipfree sim sweep` is given, and on which scenes.
A_SCENES = ("effect2d", "texture-cube", "jellyfish", "texture-cat")
D_SCENES = ("shadow", "refract", "terrain", "texture-cat")
E_SCENES = ("effect2d", "shadow", "refract", "jellyfish")
SWEEPS = {
   "a-memories": (A_SCENES, ("paper-a", "--mode", "cycles", "--over", "dram.bus_B=8,16,32,64", "--over",
                             "dram.banks=8,16,32", "--over", "dram.latency=0,40,80")),
   "a-no-time": (A_SCENES, ("paper-a", "--mode", "cycles", "--over", "dram.perfect=true")),
   "d-hits": (D_SCENES, ("paper-d", "--over", "z.prefetch=none,dprt", "--over", "z.request=pixel,quad,block", "--over",
                         "z.run_ahead=8,32,128")),
   "d-latency": (D_SCENES, ("paper-d", "--mode", "cycles", "--over", "dram.bus_B=64", "--over", "z.prefetch=none,dprt",
                            "--over", "dram.latency=0,40,100,200,400")),
   "e-one": (E_SCENES, ("paper-e", "--over", "z.request=pixel,quad,block", "--over", "color.shared=true,false",
                        "--over", "color.size_B=32768", "--over", "screen.partition=none", "--over",
                        "screen.pipelines=1")),
   "e-four": (E_SCENES, ("paper-e", "--over", "z.request=pixel,quad,block", "--over", "color.shared=true,false",
                         "--over", "color.size_B=32768")),
}
FIGURES = {"a-fig-10": ("a-memories", "a-no-time"), "d-fig-6": ("d-hits",), "d-fig-7": ("d-latency",),
           "e-table-2": ("e-one", "e-four")}


def arguments():
   parser = argparse.ArgumentParser(prog="clipfree sim figures", epilog="docs/papers.md",
                                    description="Draw the papers' figures beside ours.")
   parser.add_argument("captures", metavar="CAPTURES", type=Path,
                       help="a folder of captures SCENE.cap of glmark2's scenes at 800x600: "
                       + ", ".join(sorted({scene for scenes, _ in SWEEPS.values() for scene in scenes})))
   parser.add_argument("-o", "--folder", metavar="FOLDER", type=Path, required=True,
                       help="where pictures go: paper-a-fig-10.svg, ...")
   parser.add_argument("--sweeps", metavar="FOLDER", type=Path, default=Path("sweeps"),
                       help="where sweeps go, which the same command uses again; 'sweeps' without it")
   parser.add_argument("--only", action="append", choices=list(FIGURES), metavar="FIGURE",
                       help=f"of {', '.join(FIGURES)}")
   return parser


def check_captures(folder, wanted):
   """All that is missing, at once."""
   scenes = sorted({scene for name in wanted for scene in SWEEPS[name][0]})
   missing = [scene for scene in scenes if not (folder / f"{scene}.cap").exists()]
   if missing:
      raise Wrong(f"{folder} has no {', '.join(f'{scene}.cap' for scene in missing)}; docs/papers.md says how "
                  "captures of the papers' scenes are made")


def swept(name, given):
   """Rows of a sweep, as {column: value}, after it was run as far as it was not."""
   scenes, words = SWEEPS[name]
   folder = given.sweeps / name
   if sweep.main([*words, "-o", str(folder), *(str(given.captures / f"{scene}.cap") for scene in scenes)]):
      raise Wrong(f"the sweep in {folder} is not complete")
   with closing(sweep_table.opened(folder)) as base:
      rows = base.execute("SELECT * FROM results ORDER BY run")
      columns = [column[0] for column in rows.description]
      return [dict(zip(columns, row)) for row in rows]


def save(figure, path):
   """Write a picture, whole or not at all."""
   beside = path.with_name(f".{path.name}.{os.getpid()}{path.suffix}")
   try:
      figure.savefig(beside, metadata={"Date": None})
      os.replace(beside, path)
   except OSError as error:
      raise Wrong(f"cannot write {path}: {error.strerror}") from error
   finally:
      beside.unlink(missing_ok=True)


def main(words):
   given = arguments().parse_args(words)
   wanted = given.only or list(FIGURES)
   sweeps = [name for figure in wanted for name in FIGURES[figure]]
   check_captures(given.captures, sweeps)
   for folder in (given.folder, given.sweeps):
      try:
         folder.mkdir(parents=True, exist_ok=True)
      except OSError as error:
         raise Wrong(f"cannot write to {folder}: {error.strerror}") from error
   figures_draw.begin()
   for figure in wanted:
      rows = [swept(name, given) for name in FIGURES[figure]]
      path = given.folder / f"paper-{figure}.svg"
      save(figures_draw.DRAW[figure](*rows), path)
      print(path)
   return 0
