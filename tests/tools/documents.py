# SPDX-License-Identifier: MIT
"""JSON of the tools, of suite `tools`: what every command prints of several captures is what its schema says
(docs/schemas/README.md), changed documents are refused, and no command has --json without a schema."""
import json
import os
import random
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from harness.suite import BUILD, PREBUILT, ROOT, driver_env, run
import schemas

TOOLS = BUILD / 'tools'
WHY, REPLAY, REDUCE, SANITIZE = (TOOLS / f'clipfree-{name}' for name in ('why', 'replay', 'reduce', 'sanitize'))
ASM = TOOLS / 'asm/clipfree-asm'
REPORT, SIM, MEDIUMP, SHADER, BENCH = (ROOT / f'tools/{name}/{name}'
                                       for name in ('report', 'sim', 'mediump', 'shader', 'bench'))
COMMANDS = ROOT / 'tools/setup/commands.txt'   # of the front door
NO_TOOLS = {'run', 'test', 'suite', 'fuzz', 'setup', 'package', 'help'}   # those that run no tool
# Pixels, or draws at pixels, of debug_cases that clipfree why is asked about.
PIXELS = {'right': ('160,120', '0 160,120', '0,0'), 'culled': ('160,120', '1 160,120'),
          'depth': ('160,120', '1 160,120'), 'number': ('160,120', '1 160,120'), 'texture': ('10,10',),
          'paint': ('160,120',), 'map': ('40,20', '0 0,43')}
SEED = 16
MUTATIONS = 12         # of a kind, of each document
VERTEX_INPUTS = 'attribute corner = 1 2 3 1\n'
LOOSE = {'sim-report': ('parameters', 'counters', 'timed')}   # members that are another schema's


@dataclass
class Printed:
   """What a command printed, or wrote."""
   schema: str
   what: str
   status: int
   text: str
   errors: str


def names():
   return ['schemas commands', 'schemas documents', 'schemas programs', 'schemas errors']


def ran(schema, command, path=None, **variables):
   """Runs a command. path: where it writes its document, if it does not print it."""
   command = [str(word) for word in command]
   done = subprocess.run(command, env=driver_env(CLIPFREE_BUILD=str(BUILD), **variables), stdin=subprocess.DEVNULL,
                         capture_output=True, text=True, timeout=600, check=False)
   text = path.read_text() if path and path.exists() else done.stdout
   return Printed(schema, ' '.join(Path(word).name for word in command), done.returncode, text, done.stderr)


# ---------------------------------------------------------------- commands

def tool_of(command):
   """The program behind a command of the front door."""
   return next(path for path in (ROOT / 'tools' / command / command, TOOLS / f'clipfree-{command}',
                                 TOOLS / command / f'clipfree-{command}') if path.is_file())


def commands():
   """[(command, the words that run it)] of the front door and of their parts: what its help lists."""
   found = []
   for line in COMMANDS.read_text().splitlines():
      if line.startswith('#') or '|' not in line:
         continue
      name, words, parts = (part.strip() for part in line.split('|')[:3])
      if name in NO_TOOLS:
         continue
      found.append((name, [tool_of(name)]))
      if words == 'PART':
         found += [(f'{name} {part}', [tool_of(name), part]) for part in parts.split(', ')]
   return found


def check_finding_names(suite):
   """Checks of the sanitiser in the schema are those of the page, whose table is made from the source."""
   page = (ROOT / 'docs/sanitize.md').read_text().split('<!-- table checks -->')[1].split('<!-- end -->')[0]
   listed = re.findall(r'^\| `([\w-]+)`', page, re.MULTILINE)
   known = schemas.schema_of('sanitize')['$defs']['finding']['properties']['check']['enum']
   suite.check('schemas commands: checks of the sanitiser', set(known) == set(listed), str(set(known) ^ set(listed)))


def check_commands(suite, folder):
   """Each command whose help has --json has a row in the page, and each row a schema of its version, and no schema is
   left over; all know every member of what they describe."""
   rows = schemas.table()
   known = {command: words for command, words in commands()}
   with_json = set()
   for command, words in known.items():
      shown = run([*words, '--help'], driver_env(CLIPFREE_BUILD=str(BUILD)))
      suite.check(f'schemas commands: {command} has help', shown.ok and len(shown.output) > 100, shown.why())
      if re.search(r'--json\b', shown.output):
         with_json.add(command)
   listed = {max((name for name in known if f'{row} '.startswith(f'{name} ')), key=len, default=row)
             for row, _, _ in rows}
   suite.check('schemas commands: those with --json', len(known) > 15 and with_json == listed,
               f'without a schema: {sorted(with_json - listed)}, without --json: {sorted(listed - with_json)}')
   files = {path.name.removesuffix('.schema.json') for path in schemas.FOLDER.glob('*.json')}
   suite.check('schemas commands: files', files == {name for _, name, _ in rows} and len(files) == len(rows),
               str(files ^ {name for _, name, _ in rows}))
   check_finding_names(suite)
   for command, name, version in rows:
      schema = schemas.schema_of(name)
      schemas.validator(name)
      suite.check(f'schemas commands: {name}', schema['properties']['version'] == {'const': version}
                  and 'version' in schema['required'] and not schemas.open_records(schema)
                  and schema['title'].startswith(f'clipfree {command.removesuffix(" FILE")}, version {version} '),
                  f'{schema["title"]}; open: {schemas.open_records(schema)}')


# ---------------------------------------------------------------- documents

def captured(folder, program, *words, count=100):
   path = folder / f'{"-".join([Path(program).name, *words])}.cap'
   if not path.exists():
      run([program, *words], driver_env(CLIPFREE_CAPTURE=f'file={path},count={count}'), timeout_s=120)
   return path


def debug_case(folder, case):
   return captured(folder, PREBUILT / 'debug_cases', case)


def of_pixels(folder):
   for case, asked in PIXELS.items():
      for pixel in asked:
         yield ran('why', [WHY, '--json', debug_case(folder, case), *pixel.split()])
   yield ran('why', [WHY, '--json', '--all', debug_case(folder, 'right'), '160,120'])


def of_replays(folder):
   right, culled = debug_case(folder, 'right'), debug_case(folder, 'culled')
   fed = captured(folder, PREBUILT / 'fed_cases', 'right')
   for path in right, culled, fed, captured(folder, PREBUILT / 'capture_scene'):
      yield ran('replay-list', [REPLAY, '--list', '--json', path])
      yield ran('replay-run', [REPLAY, '--json', '--print', '--pixel', '40,20', path])
   yield ran('replay-run', [REPLAY, '--json', '--repeat', '2', '--threads', '2', right])
   yield ran('replay-trim', [REPLAY, '--json', '--trim', '0', folder / 'trimmed.cap', right])
   for options in (['--against', 'threads=2,path=plain'], ['--against', 'setup=dp3'], ['--against-capture', culled],
                   ['--against-capture', fed], ['--against-build', BUILD]):
      yield ran('replay-compare', [REPLAY, '--compare', '--json', *options, right])


def of_programs(folder):
   """An assembler's, of a program with a mistake, too."""
   source, words = folder / 'program.asm', folder / 'program.words'
   source.write_text('   movi v1, 0x3fc00000\n   out 0, v1\n   end\n')
   words.write_text('0000000000000079\n0000000000000000\n')
   yield ran('asm', [ASM, '--json', source])
   yield ran('asm', [ASM, '--json', '-d', '-x', words])


def of_others(folder):
   right, number, phone = (debug_case(folder, case) for case in ('right', 'number', 'phone'))
   small, source = folder / 'small.cap', folder / 'small.c'
   for options in [], ['--c', source]:
      yield ran('reduce', [REDUCE, right, '--test', 'true', '-o', small, '--json', '--quiet', *options])
   for path in right, number, phone:
      yield ran('sanitize', [SANITIZE, '--json', path])
   for path in right, captured(folder, PREBUILT / 'slow_cases', 'branch'):
      yield ran('report', [REPORT, '--json', '-', path])
   yield ran('report', [REPORT, '--json', folder / 'report.json', right], folder / 'report.json')
   for options in [], ['--no-raise']:
      yield ran('mediump', [MEDIUMP, '--json', *options, phone])
   yield ran('mediump', [MEDIUMP, '--json', right])


def of_simulations(folder):
   right = debug_case(folder, 'right')
   yield ran('sim', [SIM, '--json', '--curves', right])
   for machine in 'paper-a', 'paper-b', 'paper-c', 'paper-d', 'paper-e', 'combined':
      yield ran('sim', [SIM, '--json', '--mode', 'cycles', '--machine', machine, right])
   path = folder / 'sim.json'
   yield ran('sim-report', [SIM, 'report', '--json', path, '--machine', 'paper-a', '--machine', 'paper-e', right], path)


def of_shaders(folder):
   right, (vertex, fragment) = debug_case(folder, 'right'), (folder / 'case.vert', folder / 'case.frag')
   vertex.write_text('attribute vec4 corner;\nvarying vec4 tone;\n'
                     'void main() { gl_Position = corner; tone = sin(corner); }\n')
   fragment.write_text('precision mediump float;\nvarying vec4 tone;\nuniform sampler2D image;\n'
                       'void main() { gl_FragColor = texture2D(image, tone.xy) * tone; }\n')
   bad, inputs = folder / 'bad.frag', folder / 'inputs.txt'
   bad.write_text('void main() { gl_FragColor = none; }\n')
   inputs.write_text(VERTEX_INPUTS)
   yield ran('shader-compile', [SHADER, 'compile', '--json', vertex, fragment])
   yield ran('shader-compile', [SHADER, 'compile', '--json', '--no-passes', right])
   yield ran('shader-stats', [SHADER, 'stats', '--json', right])
   yield ran('shader-stats', [SHADER, 'stats', '--json', bad])
   yield ran('shader-run', [SHADER, 'run', '--json', vertex, fragment, '--inputs', inputs])
   for off in [], ['--off-b', 'cse', '--off-b', 'schedule']:
      yield ran('shader-diff', [SHADER, 'diff', '--json', *off, BUILD, BUILD, vertex, fragment])
   yield ran('shader-bisect', [SHADER, 'bisect', '--json', right])


def of_bench(folder):
   path = folder / 'bench.json'
   yield ran('bench', [BENCH, '--only', 'startup', '--rounds', '1', '--drivers', 'clipfree', '--json', path], path)


def document_of(printed):
   """(the document, what is wrong with it)"""
   try:
      document = json.loads(printed.text)
   except ValueError:
      return None, f'status {printed.status}, no JSON: {printed.text[:80]} {printed.errors[-160:]}'
   return document, schemas.fault(printed.schema, document)


def accepted(name, document, numbers):
   """Changed documents that the schema does not refuse. Long arrays are cut where the schema allows it."""
   short = schemas.shortened(document)
   looked_at = document if schemas.fault(name, short) else short
   return [what for what, changed in schemas.mutations(looked_at, numbers, MUTATIONS, LOOSE.get(name, ()))
           if not schemas.fault(name, changed)]


def check_printed(suite, label, printed, numbers):
   """Documents of a schema: as it says, and refused when they are changed."""
   wrong = [f'{one.what}: {fault}' for one, (_, fault) in printed if fault]
   passed = [f'{one.what}: {what}' for one, (document, fault) in printed if not fault
             for what in accepted(one.schema, document, numbers)]
   suite.check(f'{label}: {len(printed)} documents', not wrong, '; '.join(wrong[:3]))
   suite.check(f'{label}: changed ones are refused', not passed, '; '.join(passed[:3]))


def check_documents(suite, folder):
   numbers, found = random.Random(SEED), {}
   for make in of_pixels, of_replays, of_programs, of_others, of_simulations, of_shaders, of_bench:
      for printed in make(folder):
         found.setdefault(printed.schema, []).append((printed, document_of(printed)))
   for name, printed in found.items():
      check_printed(suite, f'schemas documents: {name}', printed, numbers)
   missing = {name for _, name, _ in schemas.table()} - set(found)
   suite.check('schemas documents: of all schemas', not missing, str(missing))


def check_programs(suite, folder):
   """Of frames of real programs: pixels and draws at random, comparison, defects, report."""
   if not shutil.which('glmark2-es2'):
      suite.skip('schemas programs', 'glmark2-es2 is not installed')
      return
   numbers = random.Random(SEED)
   for scene in 'texture', 'shadow', 'desktop':
      path = folder / f'{scene}.cap'
      run(['glmark2-es2', '-s', '128x96', '-b', f'{scene}:duration=20'],
          driver_env(CLIPFREE_CAPTURE=f'file={path},frame=5,count=2', CLIPFREE_FRAMES='8', vblank_mode='0'),
          timeout_s=120)
      draws = json.loads(ran('replay-list', [REPLAY, '--list', '--json', path]).text)['draws']
      printed = [ran('why', [WHY, '--json', path, *([str(numbers.randrange(draws))] if i % 2 else []),
                             f'{numbers.randrange(128)},{numbers.randrange(96)}']) for i in range(12)]
      printed += [ran('replay-run', [REPLAY, '--json', '--print', '--pixel', '64,48', path]),
                  ran('replay-trim', [REPLAY, '--json', '--trim', '0', folder / 'trimmed.cap', path])]
      printed += [ran('replay-list', [REPLAY, '--list', '--json', path]),
                  ran('replay-compare', [REPLAY, '--compare', '--json', '--against', 'setup=dp3', path]),
                  ran('sanitize', [SANITIZE, '--json', '--checks', 'all,unwritten-uniform', path]),
                  ran('report', [REPORT, '--json', '-', path])]
      check_printed(suite, f'schemas programs: {scene}', [(one, document_of(one)) for one in printed], numbers)


# ---------------------------------------------------------------- errors

def check_errors(suite, folder):
   """Of no capture, a damaged one and what it has not: a message, and no document."""
   right, out = debug_case(folder, 'right'), folder / 'out.json'
   none, damaged = folder / 'none.cap', folder / 'damaged.cap'
   data = right.read_bytes()
   damaged.write_bytes(data[:len(data) // 2] + os.urandom(64) + data[len(data) // 2 + 64:])
   cases = [[WHY, '--json', path, '1,1'] for path in (none, damaged)]
   cases += [[WHY, '--json', right, '4000,1'], [WHY, '--json', right, '99', '1,1']]
   cases += [[REPLAY, '--list', '--json', none], [REPLAY, '--list', '--json', damaged]]
   cases += [[REPLAY, '--json', *options, path] for path in (none, damaged)
             for options in ([], ['--print', '--pixel', '1,1'], ['--trim', '0', folder / 'small.cap'])]
   cases += [[ASM, '--json', none], [ASM, '--json', '-d', right.with_suffix('.none')]]
   cases += [[REPLAY, '--compare', '--json', '--against', 'threads=2', path] for path in (none, damaged)]
   cases += [[REPLAY, '--compare', '--json', '--against-capture', none, right],
             [REPLAY, '--compare', '--json', '--against-build', folder, right]]
   cases += [[REDUCE, path, '--test', 'true', '-o', folder / 'small.cap', '--json'] for path in (none, damaged)]
   cases += [[SANITIZE, '--json', path] for path in (none, damaged)]
   cases += [[REPORT, '--json', out, path] for path in (none, damaged)]
   cases += [[MEDIUMP, '--json', path] for path in (none, damaged)]
   cases += [[SIM, '--json', path] for path in (none, damaged)]
   cases += [[SIM, 'report', '--json', out, path] for path in (none, damaged)]
   cases += [[SHADER, 'compile', '--json', folder / 'none.frag'], [SHADER, 'bisect', '--json', none]]
   for command in cases:
      printed = ran('', command)
      what = printed.what.replace(str(folder), '')
      suite.check(f'schemas errors: {what}', printed.status not in (0, None) and printed.status > 0
                  and not printed.text.strip() and printed.errors.strip() and 'Traceback' not in printed.errors
                  and not out.exists(), f'status {printed.status}: {printed.text[:80]} {printed.errors.strip()[-160:]}')


CHECKS = {'schemas commands': check_commands, 'schemas documents': check_documents,
          'schemas programs': check_programs, 'schemas errors': check_errors}


def check(suite, folder, name):
   CHECKS[name](suite, folder)
