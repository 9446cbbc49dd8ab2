# SPDX-License-Identifier: MIT
"""Timelines, of suite `tools`: those of programs, of `clipfree report` and of `clipfree sim` keep the rules of Chrome's
trace event format, and of viewers that read it: what breaks one is dropped there, or drawn where it does not belong.
docs/trace.md lists the rules."""
import json
import re
from collections import Counter, defaultdict

from harness.suite import PREBUILT, ROOT, driver_env, run

REPORT, SIM = ROOT / 'tools/report/report', ROOT / 'tools/sim/sim'
PHASES = 'XbeCMstf'
METADATA = {'thread_name': 'name', 'process_name': 'name', 'thread_sort_index': 'sort_index'}
NUMBER = (int, float)
DEEPEST = 64
# Each breaks a rule: what must be said of these events.
SLICE = {'ph': 'X', 'pid': 1, 'tid': 1, 'name': 'a', 'ts': 0, 'dur': 10}
FLOW = {'ph': 's', 'pid': 1, 'tid': 1, 'name': 'f', 'cat': 'f', 'id': 1, 'ts': 0}
SPAN = {'ph': 'b', 'pid': 1, 'tid': 1, 'name': 's', 'cat': 's', 'id': 1, 'ts': 0}
BROKEN = {
   'a phase that is none': [SLICE | {'ph': 'Q'}],
   'a name is missing': [{key: value for key, value in SLICE.items() if key != 'name'}],
   'pid or tid is no number': [SLICE | {'tid': 'worker'}],
   'ts is no number': [SLICE | {'ts': '0'}],
   'dur is no number, or below 0': [SLICE | {'dur': -1}],
   'metadata that is not known': [{'ph': 'M', 'pid': 1, 'tid': 1, 'name': 'thread', 'args': {'name': 'a'}}],
   'a counter without numbers': [{'ph': 'C', 'pid': 1, 'tid': 1, 'name': 'c', 'ts': 0, 'args': {'c': '1'}}],
   'slices of a track that overlap': [SLICE, SLICE | {'ts': 5}],
   'slices that are too deep': [SLICE | {'dur': 1000 - i, 'ts': i / 10} for i in range(DEEPEST + 1)],
   'a span without an end': [SPAN],
   'an end without a span': [SPAN | {'ph': 'e'}],
   'a span that ends before it begins': [SPAN | {'ts': 5}, SPAN | {'ph': 'e'}],
   'a flow without begin or end': [SLICE, FLOW],
   'a flow that runs back': [SLICE, FLOW | {'ts': 5}, FLOW | {'ph': 'f', 'ts': 4}],
   'a flow of no slice': [SLICE, FLOW, FLOW | {'ph': 'f', 'ts': 11}],
   'a thread without a name': [SLICE],
}
RIGHT = [{'ph': 'M', 'pid': 1, 'tid': 1, 'name': 'thread_name', 'args': {'name': 'a'}}, SLICE,
         SLICE | {'ts': 2, 'dur': 8}, SLICE | {'ts': 10, 'dur': 5}, SPAN, SPAN | {'ph': 'e', 'ts': 3}, FLOW,
         FLOW | {'ph': 'f', 'ts': 12}, {'ph': 'C', 'pid': 1, 'tid': 1, 'name': 'c', 'ts': 0, 'args': {'c': 1}}]


def names():
   return ['timeline rules', 'timeline program', 'timeline report', 'timeline sim']


# ---------------------------------------------------------------- the rules

def is_number(value):
   return isinstance(value, NUMBER) and not isinstance(value, bool)


def ns(value):
   """As a reader has it that keeps whole nanoseconds and cuts the rest."""
   return int(value * 1000)


def wrong_fields(event):
   """What is wrong with an event by itself; None: nothing."""
   phase = event.get('ph')
   args = event.get('args', {})
   checks = {
      'a phase that is none': phase not in PHASES or len(phase) != 1,
      'a name is missing': not isinstance(event.get('name'), str) or not event['name'],
      'pid or tid is no number': not isinstance(event.get('pid'), int) or
      not isinstance(event.get('tid'), int) and phase != 'C' and event.get('name') != 'process_name',
      'ts is no number': phase != 'M' and not is_number(event.get('ts')),
      'dur is no number, or below 0': phase == 'X' and not (is_number(event.get('dur')) and event['dur'] >= 0),
      'metadata that is not known': phase == 'M' and METADATA.get(event.get('name')) not in args,
      'a counter without numbers': phase == 'C' and not (args and all(map(is_number, args.values()))),
      'a span or flow without id or category': phase in ('b', 'e', 's', 't', 'f') and
      not (isinstance(event.get('id'), int) and event.get('cat')),
   }
   return next((what for what, is_so in checks.items() if is_so), None)


def by(events, phases, key):
   found = defaultdict(list)
   for event in events:
      if event['ph'] in phases:
         found[key(event)].append(event)
   return found


def track_of(event):
   return event['pid'], event['tid']


def wrong_slices(slices):
   """What is wrong with the slices of a track: (what, how often). They nest, or follow one another."""
   found, open_ends = Counter(), []
   for event in sorted(slices, key=lambda e: (ns(e['ts']), -ns(e['dur']))):
      begin, end = ns(event['ts']), ns(event['ts']) + ns(event['dur'])
      while open_ends and open_ends[-1] <= begin:
         open_ends.pop()
      found['slices of a track that overlap'] += bool(open_ends) and end > open_ends[-1]
      open_ends.append(end)
      found['slices that are too deep'] += len(open_ends) > DEEPEST
   return found


def wrong_span(events):
   """Of the events of one span, in the order of the file: one begin, then one end."""
   phases = ''.join(event['ph'] for event in events)
   if phases == 'be':
      return 'a span that ends before it begins' if events[1]['ts'] < events[0]['ts'] else None
   return 'an end without a span' if phases.startswith('e') else 'a span without an end'


def wrong_flow(events, slices):
   """Of the events of one flow: s, perhaps t, f, each while a slice of its track is there. slices: {track: [(begin,
   end)]}."""
   phases = ''.join(event['ph'] for event in events)
   times = [event['ts'] for event in events]
   if not re.fullmatch('st*f', phases):
      return 'a flow without begin or end'
   if times != sorted(times):
      return 'a flow that runs back'
   for event in events:
      if not any(begin <= event['ts'] <= end for begin, end in slices[track_of(event)].get(event['ts'] // 1024, ())):
         return 'a flow of no slice'
   return None


def slices_by_time(tracks):
   """{track: {time // 1024: [(begin, end)]}}, so that a slice is found soon."""
   found = {}
   for track, slices in tracks.items():
      places = found[track] = defaultdict(list)
      for event in slices:
         begin, end = event['ts'], event['ts'] + event['dur']
         for place in range(int(begin // 1024), int(end // 1024) + 1):
            places[place].append((begin, end))
   return defaultdict(dict, found)


def broken_rules(events):
   """{what is wrong: how often}; nothing: viewers show all of it."""
   found = Counter(filter(None, map(wrong_fields, events)))
   if found:
      return found
   tracks = by(events, 'X', track_of)
   for slices in tracks.values():
      found += wrong_slices(slices)
   spans = by(events, 'be', lambda e: (e['pid'], e['cat'], e['name'], e['id'])).values()
   places = slices_by_time(tracks)
   flows = by(events, 'stf', lambda e: (e['cat'], e['name'], e['id'])).values()
   found += Counter(filter(None, map(wrong_span, spans)))
   found += Counter(filter(None, (wrong_flow(flow, places) for flow in flows)))
   named = {track_of(event) for event in events if event['ph'] == 'M' and event['name'] == 'thread_name'}
   found['a thread without a name'] += len(set(tracks) - named)
   return +found


def check_rules(suite, _):
   """What finds broken rules finds them."""
   suite.check('timeline rules: nothing is wrong', not broken_rules(RIGHT), str(broken_rules(RIGHT)))
   for what, events in BROKEN.items():
      seen = broken_rules(events)
      suite.check(f'timeline rules: {what}', what in seen, str(dict(seen)))


# ---------------------------------------------------------------- files

def check_file(suite, name, path, phases, why):
   """The file keeps the rules, and has events of all these phases."""
   try:
      events = json.loads(path.read_text())
   except (OSError, ValueError) as error:
      suite.check(name, False, f'{error}; {why}')
      return
   count = Counter(event.get('ph') for event in events)
   wrong = broken_rules(events)
   suite.check(name, not wrong and set(phases) <= set(count), f'{dict(count)}; {dict(wrong)}')


def check_program(suite, folder):
   """With worker threads, in a window: frames."""
   path = folder / 'program.json'
   done = run(['glmark2-es2', '-s', '256x192', '-b', 'shadow:duration=20'],
              driver_env(CLIPFREE_TRACE=str(path), CLIPFREE_THREADS='3', CLIPFREE_FRAMES='30'), timeout_s=120)
   check_file(suite, 'timeline program', path, 'XbeM', done.why())


def captured(folder):
   path = folder / 'right.cap'
   return path, run([PREBUILT / 'debug_cases', 'right'], driver_env(CLIPFREE_CAPTURE=f'file={path},count=100'))


def check_report(suite, folder):
   capture, _ = captured(folder)
   path = folder / 'report.json'
   done = run([REPORT, '--trace', path, capture], driver_env())
   check_file(suite, 'timeline report', path, 'XbeM', done.why())


def check_sim(suite, folder):
   """Of the whole GPU, of memory alone, and from its middle on, where slices and flows are cut."""
   capture, _ = captured(folder)
   for machine, words, phases in (('paper-a', [], 'XMC'), ('paper-d', [], 'XMCstf'),
                                  ('paper-d', ['--from', '500', '--to', '3000'], 'XMCstf')):
      path = folder / 'sim.json'
      path.unlink(missing_ok=True)
      done = run([SIM, '--mode', 'cycles', '--machine', machine, '--trace', path, *words, capture], driver_env())
      check_file(suite, ' '.join(['timeline sim', machine, *words]), path, phases, done.why())


def check(suite, folder, name):
   """One of names()."""
   {'rules': check_rules, 'program': check_program, 'report': check_report,
    'sim': check_sim}[name.split()[-1]](suite, folder)
