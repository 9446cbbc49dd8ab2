#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The error of CORDIC over the iterations as a picture: reads what `test-arith-cordic --table` prints, writes SVG.

   build-unit/src/clipfree/test-arith-cordic --table | src/clipfree/arith/plot_cordic.py > docs/papers/cordic.svg
"""
import math
import sys

WIDTH, HEIGHT = 640, 400
LEFT, RIGHT, TOP, BOTTOM = 60, 90, 16, 44
LOWEST = -26  # of the logarithm to base 2
COLOURS = ('#d62728', '#1f77b4', '#9467bd', '#2ca02c', '#ff7f0e', '#17becf', '#8c564b')
PAPERS_ITERATIONS = 13


def main():
   header, *rows = [line.split() for line in sys.stdin if line.strip()]
   names = header[1:]
   iterations = [int(row[0]) for row in rows]

   def x(n):
      return LEFT + (n - 1) / (iterations[-1] - 1) * (WIDTH - LEFT - RIGHT)

   def y(error):
      return TOP + min(math.log2(error), 0) / LOWEST * (HEIGHT - TOP - BOTTOM)

   out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="11">',
          f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>']
   for power in range(0, LOWEST - 1, -4):
      at = y(2.0 ** power)
      out.append(f'<path d="M{LEFT} {at:.1f}H{WIDTH - RIGHT}" stroke="#ddd"/>'
                 f'<text x="{LEFT - 6}" y="{at + 4:.1f}" text-anchor="end">2^{power}</text>')
   for n in range(5, iterations[-1] + 1, 5):
      out.append(f'<text x="{x(n):.1f}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">{n}</text>')
   out.append(f'<path d="M{x(PAPERS_ITERATIONS):.1f} {TOP}V{HEIGHT - BOTTOM}" stroke="#888" stroke-dasharray="4 3"/>'
              f'<text x="{x(PAPERS_ITERATIONS) + 4:.1f}" y="{TOP + 10}" fill="#555">the paper\'s 13</text>'
              f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 8}" text-anchor="middle">iterations</text>')
   for k, name in enumerate(names):
      points = ' '.join(f'{x(n):.1f},{y(float(row[k + 1])):.1f}' for n, row in zip(iterations, rows))
      out.append(f'<polyline points="{points}" fill="none" stroke="{COLOURS[k]}" stroke-width="1.5"/>'
                 f'<path d="M{WIDTH - RIGHT + 14} {TOP + 20 + 18 * k}h18" stroke="{COLOURS[k]}" stroke-width="3"/>'
                 f'<text x="{WIDTH - RIGHT + 38}" y="{TOP + 24 + 18 * k}">{name}</text>')
   print('\n'.join(out + ['</svg>']))


main()
