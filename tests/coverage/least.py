# SPDX-License-Identifier: MIT
"""The least figures of coverage, least.txt: a line has a name, percent of lines and percent of branches."""
import math
from pathlib import Path

# Which of several threads comes first, and what the host is, decides on some branches: a figure may be below the least
# one by so many lines, or ways of branches. What is complete stays so.
MAY_LACK = 3

HEAD = '''# SPDX-License-Identifier: MIT
#
# What tests cover at least of each folder of src/clipfree, and of the groups in complete.txt: name, percent of lines,
# percent of branches. They only rise: tests/coverage/run --update.

'''


def read(path):
   """{name: (percent of lines, of branches)}."""
   if not Path(path).exists():
      return {}
   lines = (line.split('#', 1)[0].strip() for line in Path(path).read_text(encoding='utf-8').splitlines())
   rows = (line.rsplit(maxsplit=2) for line in lines if line)
   return {name: (float(of_lines), float(of_branches)) for name, of_lines, of_branches in rows}


def rounded(figure):
   """Down to a tenth."""
   return math.floor(figure.percent() * 10) / 10


def update(path, table):
   """Writes the figures; those that are lower than before stay as they are. Names that are no more are left out."""
   old = read(path)
   rows = []
   for name, figures in table.items():
      best = [max(rounded(figure), before) for figure, before in zip(figures, old.get(name, (0.0, 0.0)))]
      rows.append(f'{name:22} {best[0]:5.1f} {best[1]:5.1f}\n')
   Path(path).write_text(HEAD + ''.join(rows), encoding='utf-8')


def holds(figure, percent):
   return figure.had + (MAY_LACK if percent < 100 else 0) >= percent * figure.total / 100


def compare(path, table):
   """Yields (case, passed, detail) for each name of the table, and for names that the table lacks."""
   least = read(path)
   for name, figures in table.items():
      if name not in least:
         yield name, False, 'least.txt does not have it: --update'
         continue
      falls = [f'{what}: {str(figure).strip()}, at least {percent} %'
               for what, figure, percent in zip(('lines', 'branches'), figures, least[name])
               if not holds(figure, percent)]
      yield name, not falls, '; '.join(falls) or ', '.join(
         f'{what} {str(figure).strip()}' for what, figure in zip(('lines', 'branches'), figures))
   for name in least.keys() - table.keys():
      yield name, False, 'it is not measured any more'
