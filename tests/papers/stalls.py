#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Where cycles of paper E's caches go, and what bounds paper D's prefetch: tables of docs/papers.md.

Usage: stalls.py FOLDER, of captures (or recordings) of scenes at 800x600. First, of `paper-e` with a bus of 64 bytes a
cycle, by scene and kind of misses: percent of cycles of its caches by cause, the mean latency of a request, reads and
cycles. Then, of paper D, by scene: how far raster is ahead, and with it lines that replacement drops before they are
used (pollution; OTT is against it), requests that find their line still on its way (timing), hits and latency; with no
prefetch, and with the ideal one, as bounds.
"""
import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SIM = ROOT / 'tools/sim/sim'
KINDS = ('blocking', 'merging', 'linked')
CAUSES = ('busy', 'refill', 'replay', 'blocked', 'entries', 'ways', 'memory', 'empty')
D_SCENES = ('shadow', 'refract', 'terrain', 'texture-cat')
E_SCENES = ('effect2d', 'shadow', 'refract', 'jellyfish')
AHEAD = (32, 1024)
WHOLE = 'gpu.model=whole', 'dram.bus_B=32', 'dram.banks=32', 'miss.entries=64'
SIZES_B = (4096, 32768)


def run(path, machine, *values, mode='cycles'):
   settings = [word for value in values for word in ('--set', value)]
   done = subprocess.run([SIM, '--json', '--mode', mode, '--machine', machine, *settings, path],
                         capture_output=True, text=True, check=True)
   return json.loads(done.stdout)['machines']


def percent(part, whole):
   return f'{100 * part / whole:.1f}' if whole else '-'


def stalls(paths):
   print('| scene | misses | cycles | reads | latency | ' + ' | '.join(CAUSES) + ' |')
   print('|---' * (5 + len(CAUSES)) + '|')
   for name, path in paths:
      for kind, machine in zip(KINDS, run(path, 'paper-e', 'dram.bus_B=64', f'miss.kind={",".join(KINDS)}')):
         t = machine['timed']
         whole, causes = t['cycles'] * t['pipelines'], t['z_causes']
         if sum(causes.values()) != whole:
            sys.exit(f'{name}, {kind}: causes are {sum(causes.values())} of {whole} cycles')
         print(f'| {name} | {kind} | {t["cycles"]} | {t["bus_reads"]} | {t["z_latency"]:.1f} | '
               + ' | '.join(percent(causes[cause], whole) for cause in CAUSES) + ' |')


def prefetch_row(name, what, machine, base):
   c, t = machine['counters'], machine['timed']
   fills = t['z_prefetch_fills']
   print(f'| {name} | {what} | {100 * c["z_hit_rate"]:.2f} | {percent(t["z_hits"], t["z_requests"])} '
         f'| {percent(t["z_prefetch_late"], t["z_requests"])} | {percent(t["z_prefetch_useless"], fills)} '
         f'| {t["z_latency"]:.1f} | {t["bus_reads"] / base["timed"]["bus_reads"] - 1:+.1%} '
         f'| {t["cycles"] / base["timed"]["cycles"] - 1:+.1%} |', flush=True)


def prefetches(paths):
   print('| scene | prefetch, blocks ahead, policy | hits without time, % | with time, % | late, % of requests '
         '| dropped unused, % of prefetched | latency | reads | cycles |\n' + '|---' * 9 + '|')
   for name, path, size_B in ((*scene, size_B) for scene in paths for size_B in SIZES_B):
      common = (*WHOLE, f'z.size_B={size_B}')
      name = f'{name}, {size_B >> 10} kB'
      none, = run(path, 'paper-d', *common, 'z.prefetch=none', 'z.policy=plru')
      prefetch_row(name, 'none, plru', none, none)
      for ahead in AHEAD:
         for policy in ('plru', 'plru-ott'):
            found, = run(path, 'paper-d', *common, f'z.run_ahead={ahead}', f'z.policy={policy}')
            prefetch_row(name, f'dprt, {ahead}, {policy}', found, none)
      for kind in ('adaptive', 'ideal'):
         found, = run(path, 'paper-d', *common, 'z.run_ahead=1024', f'z.prefetch={kind}')
         prefetch_row(name, f'{kind}, plru-ott', found, none)


def found(folder, names):
   """[(scene, its recording or capture)]"""
   paths = []
   for name in names:
      here = [folder / f'{name}{ending}' for ending in ('.rec', '.cap') if (folder / f'{name}{ending}').exists()]
      if not here:
         sys.exit(f'{folder}/{name}.cap is not there')
      paths.append((name, here[0]))
   return paths


def main(folder):
   stalls(found(folder, E_SCENES))
   print()
   prefetches(found(folder, D_SCENES))


if __name__ == '__main__':
   if len(sys.argv) != 2:
      sys.exit(__doc__.split('\n\n')[1])
   main(Path(sys.argv[1]).absolute())
