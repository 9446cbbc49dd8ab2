# SPDX-License-Identifier: MIT
"""clipfree shader, of suite `tools`: GLSL is compiled, counted, run and compared; a pass that breaks a picture is
found."""
import json
import os
import re
import stat
import struct
from pathlib import Path

from harness import hacks
from harness.suite import BUILD, PREBUILT, ROOT, driver_env, piglit_folder, run
from planted_compiler import planted_build, planted_env
import schemas

SHADER = ROOT / 'tools/shader/shader'
VERTEX = """attribute vec4 position;
uniform mat4 camera;
uniform float scale;
varying vec2 place;
void main()
{
   gl_Position = camera * position;
   place = sin(position.xy) / scale;
}
"""
FRAGMENT = """precision mediump float;
uniform vec4 tint;
uniform float limit;
uniform sampler2D image;
varying vec2 place;
void main()
{
   float sum = 0.0;
   for (int i = 0; i < 40; i++) {
      if (float(i) > limit)
         break;
      sum += place.x * tint.x;
   }
   gl_FragColor = texture2D(image, place) * sum + tint;
}
"""
VERTEX_INPUTS = """uniform camera = 1 0 0 0  0 2 0 0  0 0 1 0  3 0 0 1
uniform scale = 4
attribute position = 1 2 3 1 | 0.5 -0.5 0   # a vertex a group
"""
FRAGMENT_INPUTS = "uniform tint = 0.5 0.25 2 1\nuniform limit = 2\nvarying place = 8 0 | 8 0 | 8 0\nlanes = 4\n"
# A quotient in a loop, of which every pixel has other rounds: the pass `exact_division` has work here.
PLAIN_VERTEX = 'attribute vec2 position;\nvoid main() { gl_Position = vec4(position, 0.0, 1.0); }\n'
QUOTIENT = """precision highp float;
void main()
{
   float a = 0.0, b = 1.0;
   for (int i = 0; i < 100; i++) {
      if (float(i) > gl_FragCoord.x)
         break;
      float t = a;
      a = b;
      b = (t + b) / 2.0;
   }
   gl_FragColor = vec4(a, b, b - a, 1.0);
}
"""
CORPUS_PROGRAMS, CORPUS_S = 2000, 60
GAMES_WITH_GLSL = ('mrrescue', 'supertux2', 'supertuxkart')
PIGLIT_PART = 'tests/shaders'    # for two builds: some thirty programs
# Compiles as the build does; but unless the pass is left out, the first multiplication of a fragment shader is a sum.
BROKEN = """#!/usr/bin/python3
import json, os, subprocess, sys
log = sys.argv[1]
os.environ['CLIPFREE_SHADERS'] = os.environ['CLIPFREE_SHADERS'].replace(log, log + '.right')
status = subprocess.run(['{compile}', log + '.right'], check=False).returncode
with open(log + '.right') as right, open(log, 'a') as wrong:
   for line in right:
      entry = json.loads(line)
      if entry.get('stage') == 'fragment' and 'no-{broken}' not in os.environ.get('CLIPFREE_COMPILER', '').split(','):
         at = next((i for i, word in enumerate(entry['code']) if word.endswith('12')), None)
         if at is not None:
            entry['code'][at] = entry['code'][at][:-2] + '10'
      wrong.write(json.dumps(entry) + '\\n')
os.unlink(log + '.right')
sys.exit(status)
"""


def names():
   return ['shader ' + part for part in ('compile', 'stats', 'run', 'diff', 'builds', 'bisect', 'messages', 'corpus',
                                    'sources')]


LONG = ['shader hacks', 'shader games']


def tool(*words, timeout_s=120, **more):
   return run([SHADER, *words], driver_env(CLIPFREE_BUILD=str(BUILD), **more), timeout_s=timeout_s)


def answer(outcome):
   """The tool's JSON; {} where it failed."""
   try:
      return json.loads(outcome.output) if outcome.ok else {}
   except ValueError:
      return {}


def files(folder):
   found = folder / 'case.vert', folder / 'case.frag'
   for path, text in zip(found, (VERTEX, FRAGMENT)):
      path.write_text(text)
   return found


def check_compile(suite, folder):
   outcome = tool('compile', '--json', *files(folder))
   shaders = {shader['stage']: shader for shader in answer(outcome).get('programs', [{}])[0].get('shaders', [])}
   fragment = shaders.get('fragment', {})
   after = [entry['after'] for entry in fragment.get('passes', [])]
   wanted = ['nir', 'cf_from_nir', 'cf_opt_flow', 'cf_opt_dead', 'cf_schedule', 'cf_lower_constants', 'cf_ra']
   suite.check('shader compile: each pass is there', after == wanted, str(after) if outcome.ok else outcome.why())
   beside = [entry['after'] for entry in fragment.get('passes', [])
             if {f'// line {line}' for line in (9, 10, 12, 14)} - set(re.findall('// line [0-9]+', entry['text']))]
   suite.check('shader compile: lines stand beside the program after each pass', after and not beside, str(beside))
   suite.check('shader compile: code and lines', len(fragment.get('assembly', [])) == len(fragment.get('code', [0])) and
               {line[4] for line in fragment['lines']} >= {9, 10, 12, 14}, str(fragment.get('lines'))[:100])
   text = tool('compile', '--no-passes', '--stage', 'fragment', *files(folder)).output
   suite.check('shader compile: GLSL stands beside', '# 12: sum += place.x * tint.x;' in text
               and 'vertex shader' not in text, text[-200:])
   off = answer(tool('compile', '--json', '--off', 'dead', '--off', 'schedule', *files(folder)))
   after = [entry['after'] for entry in off['programs'][0]['shaders'][1]['passes']] if off else []
   suite.check('shader compile: a pass left out', after and not {'cf_opt_dead', 'cf_schedule'} & set(after), str(after))


def check_stats(suite, folder):
   outcome = tool('stats', '--json', *files(folder))
   report = answer(outcome)
   fragment = next((entry for entry in report.get('shaders', []) if entry['stage'] == 'fragment'), {})
   suite.check('shader stats: counts', (fragment.get('loops'), fragment.get('textures')) == (1, 1) and
               sum(fragment['classes'].values()) == fragment['instructions'], str(fragment) if outcome.ok
               else outcome.why())
   suite.check('shader stats: schema', not schemas.fault('shader-stats', report), schemas.fault('shader-stats', report))


def floats(row):
   return [struct.unpack('<f', struct.pack('<I', dword))[0] for dword in row]


def outputs(result):
   return {result['names'][index]: floats(result['outputs'][index]) for index in result.get('names', {})}


def check_run(suite, folder):
   """Both engines; the values are those of the GLSL."""
   (folder / 'v.txt').write_text(VERTEX_INPUTS)
   (folder / 'f.txt').write_text(FRAGMENT_INPUTS)
   for stage, wanted in ('vertex', {'gl_Position.x': [4, 3.5], 'gl_Position.y': [4, -1], 'gl_Position.w': [1, 1]}), \
         ('fragment', {'color 0.x': [0.5] * 4, 'color 0.w': [13] * 4}):
      outcome = tool('run', '--json', *files(folder), '--stage', stage, '--inputs', folder / f'{stage[0]}.txt')
      result = answer(outcome)
      found = outputs(result)
      suite.check(f'shader run: {stage}', all(found.get(name) == row for name, row in wanted.items()),
                  str(found) if outcome.ok else outcome.why())
      suite.check(f'shader run: {stage}, the engines agree', result.get('compiled') and result['difference'] is None,
                  str(result.get('difference')))
      suite.check(f'shader run: {stage}, registers of both engines', result.get('compiled') and result['vector'] and
                  all(result['compiled'][kind] == result[kind] for kind in ('vector', 'scalar')), str(result)[:300])


def check_diff(suite, folder):
   same = answer(tool('diff', '--json', BUILD, BUILD, *files(folder)))
   suite.check('shader diff: a build equals itself', same.get('shaders') == 2 and
               all(not measure['changes'] for measure in same['measures'].values()), str(same)[:200])
   worse = answer(tool('diff', '--json', '--off-b', 'cse', '--off-b', 'exact_division', '--off-b', 'schedule', BUILD,
                       BUILD, *files(folder)))
   changed = sum(measure['helped'] + measure['hurt'] for measure in worse.get('measures', {}).values())
   suite.check('shader diff: what changes is named', changed > 0, str(worse)[:300])


def counted(build, programs, fault):
   """{(program, stage): numbers} of a build, as `stats` says; the slow and obvious way to what `diff` says."""
   outcome = tool('stats', '--json', '--build', build, *programs, timeout_s=300, CLIPFREE_PLANTED=fault)
   return {(entry['name'], entry['stage']): entry for entry in answer(outcome).get('shaders', ())}


def unlike_stats(report, a, b):
   """Measures of a diff's report that are not what the numbers of both builds say."""
   wrong = []
   for name, measure in report['measures'].items():
      pairs = {key: (a[key][name], b[key][name]) for key in a if key in b}
      changes = {(one['program'], one['stage']): (one['before'], one['after']) for one in measure['changes']}
      told = [measure[word] for word in ('before', 'after', 'helped', 'hurt', 'unchanged')]
      found = [sum(pair[0] for pair in pairs.values()), sum(pair[1] for pair in pairs.values()),
               sum(y < x for x, y in pairs.values()), sum(y > x for x, y in pairs.values()),
               sum(x == y for x, y in pairs.values())]
      if told != found or changes != {key: pair for key, pair in pairs.items() if pair[0] != pair[1]}:
         wrong.append(f'{name}: {told}, by hand {found}')
   return wrong


def unlike_text(text, report):
   """Lines of shader-db's form that the text should have, and has not."""
   wanted = []
   for name, measure in report['measures'].items():
      wanted += [f"total {name} in all programs: {measure['before']} -> {measure['after']} (",
                 f"   helped: {measure['helped']}, hurt: {measure['hurt']}, unchanged: {measure['unchanged']}"]
      wanted += [f"   HURT: {one['stage']} {one['program']}: {one['before']} -> {one['after']} ("
                 for one in measure['changes'][:1] if one['after'] > one['before']]
   return [line for line in wanted if line not in text]


def check_builds(suite, folder):
   """A build against another whose compiler is another: a pass that does nothing, or is wrong."""
   build, why = planted_build()
   if build is None:
      suite.check('shader builds', False, f'no build: {why}')
      return
   piglit = piglit_folder()
   programs = [*files(folder), *([piglit / PIGLIT_PART] if piglit else [])]
   for fault in ('', 'off'):
      report = answer(tool('diff', '--json', BUILD, build, *programs, timeout_s=300, CLIPFREE_PLANTED=fault))
      back = answer(tool('diff', '--json', build, BUILD, *programs, timeout_s=300, CLIPFREE_PLANTED=fault))
      sides = counted(BUILD, programs, fault), counted(build, programs, fault)
      wrong = unlike_stats(report, *sides) + unlike_stats(back, *sides[::-1])
      hurt = report['measures']['instructions']['hurt']
      suite.check(f'shader builds: {fault or "no fault"}', report['shaders'] == len(sides[0]) and not wrong
                  and (hurt > 0) == bool(fault), f'{report["shaders"]} shaders, {hurt} hurt; {wrong[:2]}')
   told = tool('diff', BUILD, build, *programs, timeout_s=300, CLIPFREE_PLANTED='off')
   lacks = unlike_text(told.output, report)
   suite.check('shader builds: as shader-db prints it', told.ok and not lacks, f'{lacks[:2]}')
   left_out = answer(tool('diff', '--json', '--off-b', 'dead', BUILD, BUILD, *programs, timeout_s=300))
   suite.check('shader builds: as if the pass were left out', left_out.get('measures') == report['measures'], '')
   check_lost(suite, folder, build)


def check_lost(suite, folder, build):
   """What only one of the builds compiles."""
   (folder / 'quotient.frag').write_text(QUOTIENT)
   lost = tool('diff', BUILD, build, folder / 'quotient.frag', CLIPFREE_PLANTED='coalesce')
   gained = tool('diff', build, BUILD, folder / 'quotient.frag', CLIPFREE_PLANTED='coalesce')
   suite.check('shader builds: lost and gained', lost.status == 1 and
               'LOST: quotient.frag: the compiler ended' in lost.output and gained.ok and 'GAINED: quotient.frag' in gained.output and 'lost: 0, gained: 1' in gained.output,
               f'{lost.why()}; {gained.why()}')


def write_broken(path, name):
   """A compiler whose pass of this name is wrong."""
   path.write_text(BROKEN.format(compile=BUILD / 'tools/shader/clipfree-shader-compile', broken=name))
   path.chmod(path.stat().st_mode | stat.S_IXUSR)


def check_bisect(suite, folder):
   """Nothing is found where nothing is wrong; a pass that is wrong, with the shader that shows it, is."""
   path, broken = folder / 'right.cap', folder / 'broken'
   run([PREBUILT / 'debug_cases', 'right'], driver_env(CLIPFREE_CAPTURE=f'file={path},count=100'))
   report = answer(tool('bisect', '--json', path, timeout_s=300))
   suite.check('shader bisect: nothing is wrong', report.get('own') == {'pixels': 0, 'greatest': 0}
               and not report['left_out'] and len(report['passes']) > 15 and
               not any(entry['pixels'] for entry in report['passes']), str(report)[:200])
   for name in 'dead', 'copy_prop_vars':
      write_broken(broken, name)
      report = answer(tool('bisect', '--json', '--compiler', broken, path, timeout_s=300))
      guilty = [entry for entry in report.get('passes', []) if entry['pixels']]
      suite.check(f'shader bisect: {name} is wrong', [entry['pass'] for entry in guilty] == [name] and
                  [(suspect['stage'], suspect['program']) for suspect in guilty[0]['suspects']]
                  == [('fragment', 'GLSL4')], str(guilty))
   check_planted_passes(suite, folder)


def check_planted_passes(suite, folder):
   """Passes of this compiler with a fault in their source, in a driver that draws with it, are found."""
   build, why = planted_build()
   if build is None:
      suite.check('shader bisect: a pass with a fault', False, f'no build: {why}')
      return
   path, vertex, fragment = folder / 'planted.cap', folder / 'plain.vert', folder / 'quotient.frag'
   vertex.write_text(PLAIN_VERTEX)
   fragment.write_text(QUOTIENT)
   for name, program, words, at in (('dead', 'debug_cases', ['right'], 'GLSL1'),
                                    ('exact_division', 'line_cases', ['es', 'draw', vertex, fragment, '--'], 'GLSL1')):
      drawn = run([PREBUILT / program, *words], {**planted_env(name), 'CLIPFREE_CAPTURE': f'file={path},count=100'})
      report = answer(tool('bisect', '--json', '--build', build, path, timeout_s=300, CLIPFREE_PLANTED=name))
      guilty = [(entry['pass'], [(suspect['stage'], suspect['program']) for suspect in entry['suspects']])
                for entry in report.get('passes', []) if entry['pixels']]
      own = report.get('own', {}).get('pixels')
      suite.check(f'shader bisect: {name} has a fault in its source', drawn.ok and own == 0 and guilty == [(name, [('fragment', at)])], f'{guilty}; {own}')


def check_messages(suite, folder):
   bad = folder / 'bad.frag'
   bad.write_text('precision mediump float;\nvoid main() { gl_FragColor = vec4(colour); }\n')
   long = folder / 'long.vert'    # Mesa's time for a switch grows with the square of its cases
   long.write_text('#version 130\nin vec4 p;\nvoid main() { float a = 0.0; switch (int(p.x)) {\n' + ''.join(
      f'case {i}: a += {i}.0; break;\n' for i in range(20_000)) + '} gl_Position = vec4(a); }\n')
   inputs = folder / 'inputs.txt'
   inputs.write_text('colour 1 2 3\n')
   for words, says in (
         (('compile', bad), "`colour' undeclared"), (('compile', folder / 'none.frag'), 'cannot read'),
         (('compile', long), 'takes more than 5 seconds'),
         (('compile', ROOT / 'README.md'), 'what is it? Known:'),
         (('stats', '--build', folder, *files(folder)), 'has no clipfree-shader-compile'),
         (('run', *files(folder), '--inputs', inputs), "what is 'colour 1 2 3'?"),
         (('bisect', folder / 'none.cap'), 'is not a capture'),
         (('compile', '--compiler', folder / 'none', *files(folder)), 'No such file'),
         (('bisect',), 'bisect takes a capture'), (('diff', BUILD), 'diff takes two build folders'),
         (('fly',), "what is 'fly'?"), (('compile', '--off', 'fly', *files(folder)), "what is 'no-fly'?")):
      outcome = tool(*words)
      suite.check(f'shader messages: {words[0]}: {says}', outcome.status in (1, 2) and says in outcome.output
                  and 'Traceback' not in outcome.output, outcome.output.strip()[-200:])


def processor_s():
   """Of what this process has run so far."""
   times = os.times()
   return times.children_user + times.children_system


def check_corpus(suite, folder):
   """2000 programs through two builds, of which one has another compiler, in a minute."""
   build, why = planted_build()
   if not piglit_folder() or build is None:
      suite.skip('shader corpus', why or 'piglit is not installed')
      return
   outcome = tool('corpus', '-o', folder / 'corpus', timeout_s=900)
   programs = sorted((folder / 'corpus').rglob('*.shader_test'))
   suite.check('shader corpus: collected', outcome.ok and len(programs) >= CORPUS_PROGRAMS, outcome.why())
   other = tool('corpus', '-o', folder, timeout_s=300)
   suite.check('shader corpus: other files stay', other.status == 1 and 'has other files' in other.output and
               len(list(folder.rglob('*.shader_test'))) == len(programs), other.why())
   kept = set(programs[::len(programs) // CORPUS_PROGRAMS or 1][:CORPUS_PROGRAMS])
   for path in set(programs) - kept:
      path.unlink()
   before = processor_s()
   outcome = tool('diff', '--json', BUILD, build, folder / 'corpus', timeout_s=600, CLIPFREE_PLANTED='off')
   spent = processor_s() - before
   try:
      report = json.loads(outcome.output)
   except ValueError:
      report = {}
   hurt = report.get('measures', {}).get('instructions', {}).get('hurt', 0)
   suite.check(f'shader corpus: {len(kept)} programs, each compiled by two builds', report.get('shaders', 0)
               > CORPUS_PROGRAMS and not report['lost'] and hurt > CORPUS_PROGRAMS / 10,
               f'{report.get("shaders")} shaders, {hurt} hurt; {outcome.why()[:100]}')
   # On processors that other work shares, what counts is the time that it would have had two for itself.
   suite.check(f'shader corpus: in less than {CORPUS_S} s', min(outcome.seconds, spent / 2) < CORPUS_S,
               f'{outcome.seconds:.0f} s, {spent:.0f} s of processor time')


def collected(folder, *words):
   """({path in a new corpus without Piglit: text}, what the tool said), from other sources."""
   corpus = folder / 'corpus'
   outcome = tool('corpus', '-o', corpus, '--piglit', folder / 'none', *words, timeout_s=900)
   return {str(path.relative_to(corpus)): path.read_text() for path in sorted(corpus.rglob('*.shader_test'))}, outcome


def check_sources(suite, folder):
   """Shaders of a capture, of a program's first frames, and of glmark2, each once."""
   path = folder / 'right.cap'
   run([PREBUILT / 'debug_cases', 'right'], driver_env(CLIPFREE_CAPTURE=f'file={path},count=100'))
   found, outcome = collected(folder, '--capture', path)
   texts = '\n'.join(found.values())
   suite.check('shader sources: a capture', len(found) == 2 and
               all(name.startswith('captures/right-') for name in found) and all(words in texts for words in ('texture2D(waves, place)', 'paint * light')), outcome.why())
   found, outcome = collected(folder, '--capture', path, '--program', f'{PREBUILT / "debug_cases"} map')
   suite.check('shader sources: a program', len(found) == 3 and 'length(place)' in
               ''.join(text for name, text in found.items() if name.startswith('debug_cases/')),
               f'{sorted(found)}; {outcome.why()}')
   found, outcome = collected(folder, '--glmark2')
   texts = '\n'.join(found.values())
   suite.check('shader sources: glmark2', len(found) > 15 and 'viewPosition' in texts and 'ShadowMap' in texts and
               all(name.startswith('glmark2-es2/') for name in found), f'{len(found)}; {outcome.why()}')
   stats = answer(tool('stats', '--json', folder / 'corpus', timeout_s=300))
   suite.check('shader sources: all compile', len(stats.get('shaders', ())) == 2 * len(found) and not stats['failed'],
               str(stats.get('failed'))[:300])


def check_others(suite, folder, option, there, origin):
   """Of hacks and games most draw with fixed functions; some have GLSL. All of it compiles."""
   name = f'shader {origin}'
   if not there:
      suite.skip(name, 'none is installed that has GLSL')
      return
   found, outcome = collected(folder, option)
   told = re.search(rf'{origin}: (\d+) run, (\d+) of them have GLSL', outcome.output)
   stats = answer(tool('stats', '--json', folder / 'corpus', timeout_s=300))
   suite.check(name, outcome.ok and told and int(told[2]) > 0 and found and
               all(path.startswith(f'{origin}/') for path in found) and not stats['failed'] and
               f'{len(found):>6} {origin}\n' in outcome.output,
               f'{told and told[0]}; {sorted(found)[:3]}; {outcome.why()}')


def check_hacks(suite, folder):
   check_others(suite, folder, '--hacks', hacks.installed(), 'hacks')


def check_games(suite, folder):
   check_others(suite, folder, '--games', any(Path('/usr/games', name).exists() for name in GAMES_WITH_GLSL), 'games')


def check(suite, folder, name):
   globals()['check_' + name.split()[1]](suite, Path(folder))
