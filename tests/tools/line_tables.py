# SPDX-License-Identifier: MIT
"""Line tables of compiled programs: of shaders whose code lines are known, every instruction names lines that have
code, and every statement is named; and a table stays the same, apart from the numbers of lines, whatever is written
between lines: comments, directives, `#line`, other source strings, other shader objects.

In the shaders below a line that ends with `//+` has a statement that must be named, one with `//?` has code that may
be. """
import json
import random
import re
from dataclasses import dataclass, field

from harness.suite import BUILD, PREBUILT, driver_env, run

WHY = BUILD / 'tools' / 'clipfree-why'

VERTEX = """
attribute vec4 position;
uniform mat4 camera;
uniform float big;
varying vec4 place;
void main()
{
   place = position * big;                       //+
   vec4 seen = camera * position;                //+
   if (seen.w < big)                             //+
      seen.xyz *= 0.5;                           //+
   gl_Position = seen;                           //+
   gl_PointSize = sqrt(big);                     //+
}
"""
FRAGMENT = """
uniform float limit;
uniform vec4 tint;
uniform sampler2D image;
uniform mat3 turn;
varying vec4 place;
float wave(float x)
{
   float y = sin(x);                             //+
   return y * x + tint.z;                        //+
}
vec3 deep(vec3 a, float b)
{
   if (b > 3.0)                                  //+
      a = a.zyx * wave(b * 2.0);                 //+
   return a;
}
void main()
{
   vec4 c = texture2D(image, place.xy);          //+
   if (c.a < limit)                              //+
      discard;                                   //+
   float sum = 0.0;                              //?
   for (int i = 0; i < 3; i++)                   //?
      sum += c[i] * place[i];                    //+
   vec3 n = normalize(place.xyz);                //+
   float d = dot(n, tint.xyz);                   //+
   if (d > 0.25) {                               //+
      sum = sum * d;                             //+
   } else {
      sum = sqrt(abs(sum)) + wave(d);            //+
   }
   n = turn * deep(n, sum);                      //+
   while (sum > limit) {                         //+
      sum -= tint.w;                             //+
      if (n.x > sum)                             //+
         break;                                  //?
      n.x += exp2(sum);                          //+
   }
   gl_FragColor = vec4(sum, n.x, c.yz)           //+
      * tint                                     //?
      + n.zyxx;                                  //?
   gl_FragColor.a = log2(c.w);                   //+
}
"""
# Functions of FRAGMENT in a shader object of their own, for OpenGL.
LIBRARY = FRAGMENT[:FRAGMENT.index('void main')]
MAIN = """
uniform float limit;
uniform sampler2D image;
uniform mat3 turn;
uniform vec4 tint;
varying vec4 place;
float wave(float x);
vec3 deep(vec3 a, float b);
""" + FRAGMENT[FRAGMENT.index('void main'):]
PLAIN_FRAGMENT = 'void main() { gl_FragColor = vec4(1.0); }\n'
PLAIN_VERTEX = ('attribute vec4 position;\nvarying vec4 place;\n'
                'void main()\n{\n   place = position;\n   gl_Position = position;\n}\n')
PRECISION = 'precision highp float;'
STRINGS = '\x01'


# What a shader's preprocessor makes of several lines counts where it begins.
MACROS = """
uniform vec4 tint;
varying vec4 place;
#define MIX(a, b) ((a) * 0.5 + \\
   (b) * 0.25)
#define STEP      \\
   sum += sin(sum); \\
   sum *= 3.0;
void main()
{
   vec4 sum = MIX(place,                         //+
      tint);
   STEP                                          //+
   sum /=                                        //+
      MIX(tint,                                  //+
      place); sum += place;
   gl_FragColor = sum; gl_FragColor.x += tint.y; //+
}
"""
DISCARD = """
varying vec4 place;
uniform float least;
void main()
{
   gl_FragColor = place;
   if (gl_FragCoord.x > least)
      discard;                                   //+
}
"""
# Assignments that compute nothing.
COPIES = {'vert': """
attribute vec4 position;
attribute vec2 uv;
varying vec2 where;
varying vec4 tint;
void main()
{
   where = uv;                                   //+
   tint = position * 2.0;                        //+
   gl_Position = position;                       //+
}
""", 'frag': """
uniform vec4 dull;
varying vec2 where;
varying vec4 tint;
void main()
{
   vec4 color = dull;                            //?
   if (where.x > 0.5)                            //+
      color = tint;                              //+
   gl_FragColor = color;                         //+
}
"""}
VARIANTS = 40      # of each shader
SEED = 24


@dataclass(frozen=True)
class Line:
   """What a table names: a shader object, a source string, a line in it."""
   object: int
   string: int
   line: int


@dataclass
class Table:
   """Of one program of the GPU: its code, and the set of lines of each instruction."""
   code: list = field(default_factory=list)
   lines: list = field(default_factory=list)


@dataclass
class Written:
   """A shader object as it is written: its text, and for each line of the shader that it was made from what names
   it."""
   text: str
   names: list


NAME = re.compile(r'(?:(\d+):)?(\d+)(?: of object (\d+))?$')


def name_of(text):
   found = NAME.match(text)
   return Line(int(found[3] or 0), int(found[1] or 0), int(found[2]))


def tables(output):
   """{program: {stage: Table}} of what line_cases and CLIPFREE_DEBUG=asm print."""
   programs, table = {}, None
   for text in output.splitlines():
      if found := re.match(r'== (\d+)$', text):
         stages = programs[int(found[1])] = {}
      elif found := re.match(r'# clipfree_(vs|fs)_', text):
         table = stages[found[1]] = Table()
      elif text.startswith('   ') and table:
         code, _, comment = text.partition(' # line ')
         table.code.append(code.split('#')[0].strip())
         table.lines.append({name_of(name) for name in comment.split(', ')} if comment else set())
   return programs


def without_marks(text):
   return re.sub(r' *//[+?]$', '', text, flags=re.MULTILINE)


def marked(text, marks):
   """Numbers of the lines that end with one of the marks."""
   return {n for n, line in enumerate(text.split('\n'), 1) if line.endswith(tuple(f'//{mark}' for mark in marks))}


def plain(text, number=0, first=''):
   """A shader as it stands, behind a line of its own."""
   lines = text.split('\n')
   return Written(first + without_marks(text), [Line(number, 0, n + 1 + first.count('\n')) for n in range(len(lines))])


class Scribe:
   """Writes a shader with noise between its lines; keeps account of where lines are by GLSL's rules."""

   def __init__(self, rng, es, number):
      self.rng, self.es, self.object = rng, es, number
      self.text, self.string, self.line, self.next_string = '', 0, 1, 1

   def put(self, text):
      """Whole lines."""
      self.text += text + '\n'
      self.line += text.count('\n') + 1

   def new_string(self):
      self.text += STRINGS
      self.string, self.line, self.next_string = self.next_string, 1, self.next_string + 1

   def shared_line(self):
      """A string that ends in the middle of a line, which belongs to it."""
      self.text += '/* shared */ ' + STRINGS + ' // by two\n'
      self.string, self.line, self.next_string = self.next_string, 2, self.next_string + 1

   def line_directive(self):
      number, string = self.rng.randrange(1, 3000), self.rng.randrange(0, 9)
      with_string = self.rng.random() < 0.5
      self.put(f'#line {number}' + (f' {string}' if with_string else ''))
      self.line = number if self.es else number + 1
      self.string = string if with_string else self.string

   def noise(self):
      roll = self.rng.randrange(10)
      if roll == 0:
         self.put('// a = b;')
      elif roll == 1:
         self.put('/* over\n\n several lines */')
      elif roll == 2:
         self.put('')
      elif roll == 3:
         self.put('#if 0\n#line 12 3\nnothing at all\n#endif')
      elif roll == 4:
         self.put('#define OVER(a, \\\n b) \\\n   (a + b)\n#undef OVER')
      elif roll == 5:
         self.put('// a comment \\\n that goes on')
      elif roll == 6:
         self.put(f'/* {self.rng.randrange(99)} */')
      elif roll == 7:
         self.line_directive()
      elif roll == 8:
         self.new_string()
      else:
         self.shared_line()

   def write(self, text, first):
      if first:
         self.put(first)
      names = []
      for line in without_marks(text).split('\n'):
         while self.rng.random() < 0.4 and self.next_string < 60:
            self.noise()
         names.append(Line(self.object, self.string, self.line))
         self.put(line)
      return Written(self.text, names)


def noisy(text, rng, es, number=0, first=''):
   return Scribe(rng, es, number).write(text, first)


def check_marks(table, written, text):
   """What is wrong with the table of a shader whose lines are marked; '': nothing."""
   may, must = marked(text, '+?'), marked(text, '+')
   number = {name: n for n, name in enumerate(written.names, 1)}
   named = set()
   for code, lines in zip(table.code, table.lines, strict=True):
      if not lines and not re.match(r'end$|sys v\d+, vertex_id$', code):
         return f'{code} has no line'
      named |= {number.get(line, line) for line in lines}
   if named - may:
      return f'lines without code are named: {sorted(named - may, key=str)}'
   return f'statements are not named: {sorted(must - named)}' if must - named else ''


def check_equal(table, written, expected, base):
   """What differs from the table of the same shader without noise."""
   to = dict(zip(base.names, written.names, strict=True))
   if table.code != expected.code:
      return 'the code differs'
   for code, lines, before in zip(table.code, table.lines, expected.lines, strict=True):
      if lines != {to[line] for line in before}:
         return f'{code} is of {lines}, not of {[to[line] for line in before]}'
   return ''


def first_line(api):
   return PRECISION if api == 'es' else ''


def base_of(text, api):
   first = first_line(api)
   return plain(text, first=first + '\n' if first else '')


class Compiler:
   """Compiles programs, each a list of (stage, text), by line_cases."""

   def __init__(self, folder):
      self.folder = folder

   def outcome(self, arguments, programs, **env):
      files = []
      for i, objects in enumerate(programs):
         for k, (stage, text) in enumerate(objects):
            path = self.folder / f'{i}-{k}.{stage}'
            path.write_text(text, encoding='ascii')
            files.append(path)
         files.append('--')
      return run([PREBUILT / 'line_cases', *arguments, *files], driver_env(**env))

   def tables(self, api, programs):
      outcome = self.outcome([api], programs, CLIPFREE_DEBUG='asm')
      if not outcome.ok:
         raise ValueError(outcome.why())
      return tables(outcome.output)


def check_noise(compiler, api):
   """Shaders of one object each, in OpenGL ES or OpenGL. '' or what is wrong."""
   rng = random.Random(SEED)
   shaders = {'vert': VERTEX, 'frag': FRAGMENT}
   base = {stage: base_of(text, api) for stage, text in shaders.items()}
   variants = [{stage: noisy(text, rng, api == 'es', first=first_line(api)) for stage, text in shaders.items()}
               for _ in range(VARIANTS)]
   got = compiler.tables(api, [[(stage, w.text) for stage, w in objects.items()] for objects in [base, *variants]])
   for stage, of in ('vert', 'vs'), ('frag', 'fs'):
      if wrong := check_marks(got[0][of], base[stage], shaders[stage]):
         return wrong
      for i, objects in enumerate(variants):
         if wrong := check_equal(got[i + 1][of], objects[stage], got[0][of], base[stage]):
            return f'variant {i}: {wrong}'
   return ''


def check_objects(compiler):
   """A fragment shader of two objects, in both orders."""
   rng = random.Random(SEED)
   programs, written = [], []
   for i in range(VARIANTS + 1):
      order = [MAIN, LIBRARY] if i % 2 else [LIBRARY, MAIN]
      made = {text: noisy(text, rng, False, number) if i else plain(text, number) for number, text in enumerate(order)}
      programs.append([('vert', PLAIN_VERTEX), *(('frag', made[text].text) for text in order)])
      written.append(Written('', made[LIBRARY].names + made[MAIN].names))
   got = compiler.tables('gl', programs)
   for i, w in enumerate(written):
      if wrong := check_equal(got[i]['fs'], w, got[0]['fs'], written[0]) \
            or (not i and check_marks(got[0]['fs'], w, LIBRARY + '\n' + MAIN)):
         return f'variant {i}: {wrong}'
   return ''


def check_macros(compiler):
   base = base_of(MACROS, 'es')
   return check_marks(compiler.tables('es', [[('vert', PLAIN_VERTEX), ('frag', base.text)]])[0]['fs'], base, MACROS)


def exported(table, first, last):
   """The lines of the exports to these numbers."""
   return set().union(*(lines for code, lines in zip(table.code, table.lines, strict=True)
                        if (found := re.match(r'outf (\d+),', code)) and first <= int(found[1]) <= last))


def check_copies(compiler):
   """Exports have the lines of the assignments to what they export. '' or what is wrong."""
   base = {stage: base_of(text, 'es') for stage, text in COPIES.items()}
   got = compiler.tables('es', [[(stage, w.text) for stage, w in base.items()]])[0]
   for stage, of in ('vert', 'vs'), ('frag', 'fs'):
      if wrong := check_marks(got[of], base[stage], COPIES[stage]):
         return wrong
      line = base[stage].names[max(marked(COPIES[stage], '+')) - 1]   # the last assignment, to export 0 to 3
      if exported(got[of], 0, 3) != {line}:
         return f'the exports 0 to 3 of {of} are of {exported(got[of], 0, 3)}, not of {line}'
   return ''


def discarding(rng):
   """A program whose fragments are all discarded, and the name of the line that does."""
   fragment = noisy(DISCARD, rng, True, first=PRECISION)
   (line,) = marked(DISCARD, '+')
   name = fragment.names[line - 1]
   return [('vert', PLAIN_VERTEX), ('frag', fragment.text)], (f'{name.string}:' if name.string else '') + str(name.line)


def check_discard(compiler):
   """In a capture: the line of a `discard` that why names, with its text, behind #line and in one of several strings.
   '' or what is wrong."""
   path, rng = compiler.folder / 'lines.cap', random.Random(SEED)
   for _ in range(4):
      program, line = discarding(rng)
      path.unlink(missing_ok=True)
      drawn = compiler.outcome(['es', 'draw'], [program], CLIPFREE_CAPTURE=f'file={path},count=100')
      outcome = run([WHY, '--json', path, '0', '8,8'], driver_env())
      verdict = json.loads(outcome.output)['verdict'] if drawn.ok and outcome.ok else drawn.why() + outcome.why()
      if f'discarded in line {line} of the fragment shader: `discard;`' not in verdict:
         return f'line {line}: {verdict}'
   return ''


CASES = {
   'lines es': lambda compiler: check_noise(compiler, 'es'),
   'lines gl': lambda compiler: check_noise(compiler, 'gl'),
   'lines objects': check_objects,
   'lines macros': check_macros,
   'lines copies': check_copies,
   'lines why': check_discard,
}


def names():
   return list(CASES)


def check(suite, folder, name):
   try:
      wrong = CASES[name](Compiler(folder))
   except ValueError as error:
      wrong = str(error)
   suite.check(name, not wrong, wrong)
