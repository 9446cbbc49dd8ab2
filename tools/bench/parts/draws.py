# SPDX-License-Identifier: MIT
"""What a draw costs, by what changes between two of them (tools/bench/draw_cost.c)."""
import re

from .measure import Figures, interleaved, run

FRAMES = '5'


def costs(bench, driver):
   """{what changed: nanoseconds of the process's CPU time a draw}"""
   done = run([bench.build / 'tools' / 'bench' / 'draw_cost', FRAMES], bench.environment(driver))
   if done.status != 0 or not re.search(f'^{driver.renderer}', done.output, re.M):
      return {}
   return {changed: float(process_ns) for changed, process_ns in re.findall(r'^(\S.*?) +\d+ +(\d+) +\d+$', done.output, re.M)}


def cost(bench):
   results = interleaved(bench, 'draws', ['all'], lambda driver, row: costs(bench, driver))['all']
   changes = list(dict.fromkeys(change for runs in results.values() for one in runs for change in one)) or ['all']
   values = {change: {driver: [one.get(change) for one in runs] for driver, runs in results.items()} for change in changes}
   return [Figures('draws: changed between two', 'ns', values, more_is_better=False)]
