# SPDX-License-Identifier: MIT
"""Transform feedback, gl_ClipDistance and buffer textures of real programs, of suite `tools`: fed_cases draws what it
should; its capture gives the same bits in all settings and when it is trimmed; the writer of a byte that was fed back
is known; a buffer without room and one that is read and written are reported, and a capture is reduced to that; the
plane that cuts a pixel is named, and the buffer whose texel it shows."""
import json
import re
import subprocess

from harness.suite import BUILD, PREBUILT, ROOT, driver_env, run

DEBUG, REDUCE, REPLAY, SANITIZE, WHY = (BUILD / 'tools' / f'clipfree-{name}'
                                        for name in ('debug', 'reduce', 'replay', 'sanitize', 'why'))
SIM = ROOT / 'tools/sim/sim'
PARTICLES = 8
COPIED_LINES = 4 * 32 * 32 // 64   # glReadPixels reads and writes them


def captured(folder, case):
   path = folder / f'{case}.cap'
   return path, run([PREBUILT / 'fed_cases', case], driver_env(CLIPFREE_CAPTURE=f'file={path},count=100'))


def typed(commands, *arguments):
   """What the debugger says at a terminal."""
   done = subprocess.run([DEBUG, *arguments], env=driver_env(), input=commands, capture_output=True, text=True,
                         check=False, timeout=60)
   return done.stdout + done.stderr


def buffers_of(path):
   """{name: (address, size)} of the draw that feeds back, and its number."""
   submissions = json.loads(run([REPLAY, '--list', '--json', path], driver_env()).output)['submissions']
   entries = [entry for s in submissions for entry in s['operations'] if 'feedback' in entry]
   return {b['name']: (int(b['buffer'], 16), b['size']) for b in entries[0]['feedback']}, entries[0]['draw']


def check_captures(suite, folder):
   path, drawn = captured(folder, 'right')
   suite.check('feedback captured', drawn.ok, drawn.why())
   buffers, draw = buffers_of(path)
   names = {f'{count}feedback {i}' for i in (0, 1) for count in ('', 'count of ')}
   suite.check('feedback listed', set(buffers) == names and buffers['feedback 0'][1] == 16 * PARTICLES, f'{buffers}')
   memory = {run([REPLAY, *settings, path], driver_env()).output.split()[-1]
             for settings in ([], ['--threads', '0', '--engine', 'interp'], ['--threads', '3'])}
   suite.check('feedback same bits', len(memory) == 1, f'{memory}')
   hashes = {run([REPLAY, '--hashes', *settings, path], driver_env()).output
             for settings in ([], ['--threads', '0', '--path', 'plain'])}
   small = folder / 'small.cap'
   trimmed = run([REPLAY, '--trim', f'{draw}..{draw + 1}', small, path], driver_env())
   equal = run([REPLAY, '--compare', '--against-capture', small, '--path', 'plain', small], driver_env())
   suite.check('feedback hashes, trim', len(hashes) == 1 and trimmed.ok and equal.ok, f'{trimmed.why()}; {equal.why()}')
   timed = run([SIM, '--mode', 'cycles', '--machine', 'paper-a', '--json', path], driver_env())
   lines = json.loads(timed.output)['machines'][0]['timed']['gpu']['transfer_lines'] if timed.ok else 0
   suite.check('feedback timed', timed.ok and lines == 2 * COPIED_LINES + -(-20 * PARTICLES // 64),
               f'{lines}; {timed.why()}')


def check_debugger(suite, folder):
   path, _ = captured(folder, 'right')
   buffers, draw = buffers_of(path)
   address = buffers['feedback 0'][0] + 16 * 5 + 4
   said = typed(f'watch byte {address:#x}\nq\n', '--draw', str(draw + 1), path)
   suite.check('feedback writer', f'feedback of draw {draw}, primitive 5, element 5 of instance 0' in said, said)
   said = typed('end\ninfo feedback\nq\n', '--draw', str(draw), '--vertex', '5', path)
   found = re.findall(r'feedback (\d, byte \d+ of \d+: .*)$', said, re.MULTILINE)
   moved = [f'0, byte {4 * i} of 16: moved.{"xyzw"[i]} is {value}'
            for i, value in enumerate(('0.375 (0x3ec00000)', '0 (0x00000000)', '0 (0x00000000)', '1 (0x3f800000)'))]
   suite.check('feedback of a vertex', found[:4] == moved and len(found) == 5 and
               re.match(r'1, byte 0 of 4: number\.x is .* \(0x00000005\)', found[4]), said)


def check_sanitizer(suite, folder):
   for case, checks in ('right', set()), ('integers', set()), ('small', {'feedback-size'}), ('loop', {'feedback'}), \
         ('texels', {'unwritten-texel'}):
      path, drawn = captured(folder, case)
      outcome = run([SANITIZE, '--json', path], driver_env())
      findings = json.loads(outcome.output)['findings'] if outcome.status in (0, 1) else [outcome.why()]
      suite.check(f'feedback sanitize {case}', drawn.ok and {f['check'] for f in findings} == checks,
                  f'{drawn.why()}; {findings}')


def check_reduced(suite, folder):
   path, _ = captured(folder, 'small')
   least = folder / 'least.cap'
   test = f'{SANITIZE} --checks feedback-size {{}} ; test $? = 1'
   outcome = run([REDUCE, path, '--test', test, '-o', least, '--quiet'], driver_env(), timeout_s=120)
   listed = json.loads(run([REPLAY, '--list', '--json', least], driver_env()).output) if outcome.ok else {'draws': 0}
   suite.check('feedback reduced', outcome.ok and listed['draws'] == 1 and
               'feedback' in listed['submissions'][0]['operations'][0], f'{listed}; {outcome.why()}')


def check_clip(suite, folder):
   path, drawn = captured(folder, 'clip')
   asked = [run([WHY, '--json', path, '0', pixel], driver_env()) for pixel in ('10,16', '20,16')]
   said = [json.loads(outcome.output)['verdict'] if outcome.ok else outcome.why() for outcome in asked]
   suite.check('feedback clip distance', drawn.ok and 'cut by gl_ClipDistance[1], which is negative here' in said[0] and
               'written' in said[1], f'{drawn.why()}; {said}')


def check_buffer_texture(suite, folder):
   path, drawn = captured(folder, 'texels')
   memory = {run([REPLAY, *settings, path], driver_env()).output.split()[-1]
             for settings in ([], ['--threads', '0', '--engine', 'interp'], ['--engine', 'jit'])}
   suite.check('buffer texture same bits', drawn.ok and len(memory) == 1, f'{drawn.why()}; {memory}')
   asked = run([WHY, path, '0', '5,16'], driver_env())
   suite.check('buffer texture why', asked.ok and 'table (buffer, 32 x 1' in asked.output, asked.output + asked.why())
   said = typed('info samplers\nwatch texel table 5,0\nq\n', '--draw', '0', '--pixel', '5,16', path)
   suite.check('buffer texture debugger', 'buffer, 32 x 1' in said and 'a copy_buffer packet' in said, said)
   timed = run([SIM, '--mode', 'cycles', '--machine', 'paper-a', '--json', path], driver_env())
   suite.check('buffer texture timed', timed.ok, timed.why())


CHECKS = {'feedback captures': check_captures, 'feedback debugger': check_debugger,
          'feedback sanitizer': check_sanitizer, 'feedback reduced': check_reduced,
          'feedback clip': check_clip, 'buffer texture': check_buffer_texture}


def names():
   return list(CHECKS)


def check(suite, folder, name):
   CHECKS[name](suite, folder)
