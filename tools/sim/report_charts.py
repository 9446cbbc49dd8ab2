# SPDX-License-Identifier: MIT
"""Charts of a report's page: series of intervals, few enough to be drawn, as SVG."""
from dataclasses import dataclass

from markupsafe import Markup

MOST_POINTS = 320


@dataclass
class Frame:
   """Of a chart: the size of its inside, what is around that, and where the axis of cycles has numbers."""
   width: int
   height: int
   left: int
   bottom: int
   top: int
   right: int
   numbers: tuple

   def x(self, share):
      return self.left + self.width * share

   def y(self, share):
      return self.top + self.height * (1 - share)


LARGE = Frame(640, 150, 44, 18, 14, 8, (0, 0.25, 0.5, 0.75, 1))
SMALL = Frame(250, 64, 48, 18, 10, 8, (0, 0.5, 1))


def column_sums(machine, name):
   """A column's values by interval; None: the machine has none."""
   if name not in machine["columns"]:
      return None
   at = machine["columns"].index(name)
   return [row["values"][at] for row in machine["intervals"]]


def thinned(machine):
   """[(begin, end, first, end of rows)]: intervals together, so that there are few."""
   rows = machine["intervals"]
   each = -(-len(rows) // MOST_POINTS) or 1
   return [(rows[i]["begin"], rows[min(i + each, len(rows)) - 1]["end"], i, min(i + each, len(rows)))
           for i in range(0, len(rows), each)]


def per_cycle(machine, names, scale=1.0):
   """[(begin, end, value)] of the sum of columns, a cycle; None: there are none of them."""
   columns = [column for column in (column_sums(machine, name) for name in names) if column is not None]
   if not columns:
      return None
   return [(begin, end, scale * sum(sum(column[i:k]) for column in columns) / (end - begin) if end > begin else 0)
           for begin, end, i, k in thinned(machine)]


def ratio(machine, part, whole):
   """The same of a column relative to another one."""
   parts, wholes = column_sums(machine, part), column_sums(machine, whole)
   if parts is None or wholes is None:
      return None
   return [(begin, end, sum(parts[i:k]) / sum(wholes[i:k]) if sum(wholes[i:k]) else 0)
           for begin, end, i, k in thinned(machine)]


def rounded(value):
   """A top of an axis: 1, 2 or 5 of a power of ten."""
   if value <= 0:
      return 1
   scale = 1e-9
   while True:
      for step in (1, 2, 5):
         if step * scale >= value * 0.999:
            return step * scale
      scale *= 10


def text(x, y, words, anchor="end"):
   return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{words}</text>'


def number(value):
   return f"{value:.4g}" if value < 10000 else f"{value / 1000:.3g} k" if value < 1e6 else f"{value / 1e6:.3g} M"


def axes(frame, cycles, top):
   """Lines and numbers of a chart."""
   parts = []
   for share in (0, 0.5, 1):
      y = frame.y(share)
      parts += [f'<path class="grid" d="M{frame.left} {y:.1f}h{frame.width}"/>',
                text(frame.left - 6, y + 4, number(top * share))]
   for share in frame.numbers:
      anchor = {0: "start", 1: "end"}.get(share, "middle")
      parts.append(text(frame.x(share), frame.y(0) + 14, number(round(cycles * share)), anchor))
   return parts


def steps(frame, series, cycles, top):
   """A path that is level in each interval."""
   points = []
   for begin, end, value in series:
      y = frame.y(min(value / top, 1))
      points += [f"{frame.x(begin / cycles):.1f} {y:.1f}", f"{frame.x(end / cycles):.1f} {y:.1f}"]
   return "M" + "L".join(points)


def chart(machine, lines, top=None, title="", frame=LARGE):
   """Lines [(name, series)] as SVG, in the colours of --c0, --c1, ...; draws are marked where there are few. top: of
   the axis; without it something above the largest value."""
   cycles = machine["timed"]["cycles"] or 1
   top = top or rounded(max((value for _, series in lines for _, _, value in series), default=0))
   parts = axes(frame, cycles, top)
   if len(machine["draws"]) <= 40:
      parts += [f'<path class="mark" d="M{frame.x(draw["end"] / cycles):.1f} {frame.top}v{frame.height}"/>'
                for draw in machine["draws"][:-1]]
   parts += [f'<path class="line" style="stroke:var(--c{i})" d="{steps(frame, series, cycles, top)}"/>'
             for i, (_, series) in enumerate(lines) if series]
   size = f"0 0 {frame.left + frame.width + frame.right} {frame.top + frame.height + frame.bottom}"
   return Markup(f'<svg class="chart" viewBox="{size}" role="img" aria-label="{title}">{"".join(parts)}</svg>')


def small_chart(machine, name, series):
   """Of one line, for many of them side by side."""
   return chart(machine, [(name, series)], title=name, frame=SMALL)
