# SPDX-License-Identifier: MIT
"""A second build of the driver, whose compiler is another, for `clipfree shader diff` and `bisect`: the sources named
here are compiled with a fault in each, and the driver is linked anew with them; all else is this build's.
CLIPFREE_PLANTED chooses the fault; without it the build is as this one."""
import json
import os
import shlex

from harness.suite import ARTIFACTS, BUILD, driver_env, run

PLANTED = ARTIFACTS / 'planted-compiler'
LIBRARY = 'libgallium-25.0.7.so'
HEADER = """#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
__attribute__((unused)) static bool
planted(const char *name)
{
   const char *given = getenv("CLIPFREE_PLANTED");
   return given && !strcmp(given, name);
}
"""
# What is written in the source, and what in the place of it. With `off` the pass does nothing; the others are wrong: a
# texture is sampled at (t, t), a quotient is halved, moves join what is live at once (the validator sees that one), a
# continue is lost, a program says that it has a register less (the GPU's validator sees that).
FAULTS = {
   'cf_opt_dead.c': [('      if (!mask) {', '      if (!mask && !planted("off")) {'),
                     ('         instr->mask &= mask;',
                      '         instr->mask &= mask, instr->src[0] = instr->src[planted("dead") != 0];')],
   'cf_nir.c': [('(float)(1 / nir_scalar_as_float(divisor))',
                 '(float)(1 / nir_scalar_as_float(divisor)) * (planted("exact_division") ? 0.5f : 1.0f)')],
   'cf_ra.c': [('   if (!clobbers(a, x, y) && !clobbers(a, y, x))',
                '   if (planted("coalesce") || (!clobbers(a, x, y) && !clobbers(a, y, x)))')],
   'cf_opt_flow.c': [('else if (instr->op == CF_OP_CONT && ir',
                     'else if (instr->op == CF_OP_CONT && planted("flow"))\n'
                     '         next = i + 1;\n      else if (instr->op == CF_OP_CONT && ir')],
   'cf_pack.c': [('= regs->vector_regs;', '= regs->vector_regs - planted("registers");')],
}


def ninja(*words, timeout_s=600):
   return run(['ninja', '-C', BUILD, *words], driver_env(), timeout_s=timeout_s)


def planted_source(path):
   """Its text with the faults; None: it has not once what one replaces."""
   text = path.read_text()
   for old, new in FAULTS[path.name]:
      if text.count(old) != 1:
         return None
      text = text.replace(old, new)
   return HEADER + f'#line 1 "{path.name}"\n' + text


def compiled(name):
   """(the object of a source with its faults, '' or what is wrong)"""
   commands = [entry for entry in json.loads((BUILD / 'compile_commands.json').read_text())
               if entry['file'].endswith(f'/clipfree/compiler/{name}')]
   if not commands:
      return None, f'{name} is not compiled here'
   entry = commands[0]
   text = planted_source((BUILD / entry['file']).resolve())
   if text is None:
      return None, f'{name} has not once what a fault replaces: planted_compiler.py'
   source, made = PLANTED / name, PLANTED / f'{name}.o'
   source.write_text(text)
   words = shlex.split(entry['command'])
   for option, value in (('-o', made), ('-MF', PLANTED / f'{name}.d'), ('-MQ', made)):
      words[words.index(option) + 1] = str(value)
   words[words.index(entry['file'])] = str(source)
   done = run(words, dict(os.environ), cwd=entry['directory'], timeout_s=300)
   return (made, '') if done.ok else (None, done.why())


def linked(objects):
   """Links the driver with these objects before the archive that has theirs. Returns '' or what is wrong."""
   target = (BUILD / 'lib' / LIBRARY).resolve().relative_to(BUILD.resolve())
   listed = ninja('-t', 'commands', target)
   line = next((line for line in reversed(listed.output.splitlines()) if f'-o {target} ' in line), None)
   if line is None:
      return f'ninja does not say how {LIBRARY} is linked: {listed.why()}'
   words = shlex.split(line)
   words[words.index('-o') + 1] = str(PLANTED / 'lib' / LIBRARY)
   at = words.index('-Wl,--whole-archive')
   done = run([*words[:at], *map(str, objects), *words[at:]], dict(os.environ), cwd=BUILD, timeout_s=300)
   return '' if done.ok else done.why()


def folders():
   """The build folder: this one's tools, and its libraries but for the driver's."""
   (PLANTED / 'lib').mkdir(parents=True, exist_ok=True)
   for link in [PLANTED / 'tools', *(PLANTED / 'lib' / path.name for path in (BUILD / 'lib').iterdir())]:
      link.unlink(missing_ok=True)
   (PLANTED / 'tools').symlink_to(BUILD.resolve() / 'tools')
   for path in (BUILD / 'lib').iterdir():
      if path.name != LIBRARY:
         (PLANTED / 'lib' / path.name).symlink_to(path.resolve())


def planted_build():
   """(the build folder or None, '' or why there is none)"""
   if not (BUILD / 'compile_commands.json').exists():
      return None, f'{BUILD} was not made by Meson here'
   folders()
   objects = []
   for name in FAULTS:
      made, wrong = compiled(name)
      if wrong:
         return None, wrong
      objects.append(made)
   wrong = linked(objects)
   return (None, wrong) if wrong else (PLANTED, '')


def planted_env(fault):
   """That of a program on the planted build."""
   env = driver_env(CLIPFREE_PLANTED=fault, MESA_SHADER_CACHE_DISABLE='true')
   return {**env, 'LD_LIBRARY_PATH': f"{PLANTED / 'lib'}:{env['LD_LIBRARY_PATH']}"}
