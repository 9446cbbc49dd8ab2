# SPDX-License-Identifier: MIT
"""The guards that unit tests of suite `trust` look after, of the long suite: each is taken out in a copy of the GPU,
and its test must fail."""
import os
import shutil

from harness.suite import ARTIFACTS, ROOT, driver_env, run

COPY = ARTIFACTS / 'guards'       # of the source, and its build, which is kept
COPIED = ('src', 'tools', 'docs', 'meson.build', 'meson.options')
BUILD_S = 1800
MEMORY, CACHE = 'jit/cf_jit_memory.c', 'jit/cf_jit_cache.c'
COMPILE, THREAD = 'jit/cf_jit_compile.c', 'jit/cf_jit_thread.c'
FORKED, HOST = 'interface/cf_forked.c', 'base/cf_host.c'
INSN, STATE, STEP, VALUE = (f'jit/proof/cf_proof_{part}.c' for part in ('insn', 'state', 'step', 'value'))
OF_COMPILER = ('jit-endless',)    # tests that take the compiler's module
# What is taken out: its file, what is written there, what in the place of it, and the test.
GUARDS = {
   'memory is not executable before': (
      MEMORY, 'mmap(NULL, size_B, PROT_READ | PROT_WRITE,', 'mmap(NULL, size_B, PROT_READ | PROT_WRITE | PROT_EXEC,',
      'jit-memory'),
   'memory is not writable after': (
      MEMORY, 'mprotect(memory, size_B, PROT_READ | PROT_EXEC) == 0',
      'mprotect(memory, size_B, PROT_READ | PROT_WRITE | PROT_EXEC) == 0', 'jit-memory'),
   'code in a file': (MEMORY, ' == 0 || replace_by_file(memory, size_B)', ' == 0', 'jit-memory'),
   'the hash is compared': (
      CACHE, ' ||\n       hash_of(data, key_B, data + key_B, head.object_B) != head.hash', '', 'jit-cache'),
   'a temporary is renamed': (
      CACHE, '"%.18s%lu", name, (unsigned long)gettid()', '"%.18s", name', 'jit-cache'),
   'rights of the folder': (CACHE, 'status.st_mode & (S_IWGRP | S_IWOTH)', '0', 'jit-cache'),
   'one message': (CACHE, 'if (!atomic_flag_test_and_set(&said))', 'if (&said)', 'jit-cache'),
   'the limit': (CACHE, 'held_B + size_B <= cache->limit_B', 'true', 'jit-cache'),
   'the oldest goes first': (CACHE, 'return (x > y) - (x < y);', 'return (x < y) - (x > y);', 'jit-cache'),
   'use is noted': (CACHE, 'futimens(file, NULL);', ';', 'jit-cache'),
   'one file is not worth many': (CACHE, 'needed_B > cache->limit_B / 2', 'false', 'jit-cache'),
   'temporaries of the dead': (
      CACHE, 'errno == EEXIST && unlinkat(cache->folder, temporary, 0) == 0', 'false', 'jit-cache'),
   'a child loses its GPU': (FORKED, 'gpu->ops = &lost_ops;', ';', 'interface-forked'),
   'a GPU is forgotten': (FORKED, '*link = gpu->next_watched;', ';', 'interface-forked'),
   'time of fragments': (
      'schedule/cf_tile.c', ' || cf_time_limit_over(walker->task->limit)', '', 'command-time'),
   'time of vertices': ('vertex/cf_vertex.c', 'task->timed_out || cf_time_limit_over(task->limit)', 'task->timed_out',
                        'command-time'),
   'time of primitives': ('schedule/cf_tile.c', 'input->chunk_count && !has_timed_out(walker)', 'input->chunk_count',
                          'command-time'),
   'waiting is not time': (
      'base/cf_time_limit.c', 'limit->used_ns + (cf_thread_cpu_ns() - limit->thread_ns) > limit->allowed_ns', 'true',
      'base-time-limit'),
   'a bad pace has the limit': ('base/cf_time_limit.c', 'item_ns * left', '0 * left', 'base-time-limit'),
   'long tasks have the limit': ('base/cf_time_limit.c', ' || limit->tasks_are_long', '', 'base-time-limit'),
   'who was over has the limit': ('base/cf_time_limit.c', ' || limit->exceeded_ns)', ')', 'base-time-limit'),
   'the most that is allowed': ('base/cf_time_limit.c', 'if (limit->allowed_ns > CF_TIME_MOST', 'if (0 > CF_TIME_MOST',
                                'base-time-limit'),
   'parts have the limit': ('schedule/cf_pass.c', 'pass->in_parts = true;', ';', 'command-time'),
   'samples count': ('shader/cf_program.c', '? SAMPLE_INSTRS : 1', '? 1 : 1', 'shader-flow'),
   'descriptors are kept apart': (HOST, 'descriptor < 0 || descriptor > STDERR_FILENO', '1', 'base-host'),
   'around GPU memory': (
      'memory/cf_memory.c', 'CF_MEMORY_BEFORE_B + RESERVE_MAX_B + CF_MEMORY_AFTER_B', 'CF_MEMORY_BEFORE_B + RESERVE_MAX_B',
      'memory'),
   'imports that cannot end': (
      'memory/cf_memory.c', '            0) != MAP_FAILED)', '            0) != NULL)', 'command-no-memory'),
   'memory that cannot be taken back': (
      'memory/cf_memory.c', 'memset(start, 0, range.pages * memory->page_B);', ';', 'command-no-memory'),
   'memory that cannot be given': (
      'memory/cf_memory.c', 'PROT_READ | PROT_WRITE) != 0) {', 'PROT_READ | PROT_WRITE) == 1) {', 'command-no-memory'),
   'no memory for a primitive': (
      'schedule/cf_pass_chunks.c', '   if (!room) {\n      sink->engines->binner.out_of_memory = true;',
      '   if (!room) {', 'command-no-memory'),
   'no memory for state': (
      'command/cf_state_draw.c', '   if (!piece)\n      return false;\n   configure_pixels', '   configure_pixels',
      'command-no-memory'),
   'no memory is a fault': (
      'command/cf_process_time.c', 'report->result == CF_PASS_OUT_OF_MEMORY', 'false', 'command-no-memory'),
   'tasks are cleared first': (
      'schedule/cf_engine_pool.c', '   if (engines->task)\n      memset(', '   if (false)\n      memset(', 'command-no-memory'),
   'what is left of a program': (
      'command/cf_program_cache.c', '      free_entry(entry);\n   return NULL;\n}', '      (void)entry;\n   return NULL;\n}',
      'command-no-memory'),
   'compilations are left by who waits': (
      THREAD, '      wait_done(job->jit);', '      pthread_cond_wait(&job->jit->done, &job->jit->lock);',
      'jit-endless'),
   'compilations are left by who draws': (THREAD, '   leave_endless(job->jit);\n', '', 'jit-endless'),
   'who goes away leaves compilations': (
      THREAD, 'while (jit->busy == job)\n      wait_done(jit);',
      'while (jit->busy == job)\n      pthread_cond_wait(&jit->done, &jit->lock);', 'jit-endless'),
   'another thread goes on': (THREAD, 'jit->first && !jit->stop && !start_thread(jit)', 'false', 'jit-endless'),
   'a thread that was left is on its own': (
      THREAD, 'if (cf_jit_worker_is_left(worker)) {', 'if (false) {', 'jit-endless'),
   'no thread in a sandbox': (THREAD, 'is_sealed ? NULL : calloc(', 'false ? NULL : calloc(', 'jit-endless'),
   'few are left': (COMPILE, 'atomic_load(&compilations_left) >= MOST_LEFT', 'false', 'jit-endless'),
   'signs of extended constants': (STATE, 'return sign ?', 'return false ?', 'jit-proof'),
   'extended constants are all looked at': (STATE, 'all = i ? cf_proof_union(all, one) : one;\n   }\n   return sign',
                                            'all = one;\n   }\n   return sign', 'jit-proof'),
   'kinds of instructions': (INSN, '!is_allowed_kind(in) || is_excluded(in->mnemonic)', 'false', 'jit-proof'),
   'instructions that are excluded': (INSN, ' || is_excluded(in->mnemonic)', '', 'jit-proof'),
   'prefixes': (INSN, 'in->attributes & PREFIXES', 'false', 'jit-proof'),
   'prefixes of branches': (INSN, 'd->in.attributes & ZYDIS_ATTRIB_HAS_OPERANDSIZE', 'false', 'jit-proof'),
   'kinds of registers': (INSN, '!is_known_register(operand->reg.value)', 'false', 'jit-proof'),
   'calls of addresses': (INSN, '? "a call of an address"', '? NULL', 'jit-proof'),
   'indirect jumps': (INSN, 'return "an indirect jump";', 'return NULL;', 'jit-proof'),
   'jumps to instructions': (INSN, 'return "a jump into the middle of an instruction";', 'continue;', 'jit-proof'),
   'indices of 64 bits': (INSN, 'vector && !has_dword_indices(d->in.mnemonic)', 'false', 'jit-proof'),
   'bits of memory': (INSN, 'return "bits of memory, which lie anywhere";', '(void)0;', 'jit-proof'),
   'addresses are pointers': (
      STATE, 'at.base & CF_PROOF_FUNCTION)\n      return "an address that is no known pointer";',
      'at.base & CF_PROOF_FUNCTION)\n      return NULL;', 'jit-proof'),
   'the frame is bounded': (
      STATE, 'is_within(at, size_B, stack) ? NULL : "an access outside of the stack frame"', 'NULL', 'jit-proof'),
   'stores are where they may be': (
      STATE, 'return "a store outside of what may be written";', 'return NULL;', 'jit-proof'),
   'the code is not written': (STATE, 'return "a store to the code or its constants";', 'return NULL;', 'jit-proof'),
   'loads are where they may be': (STATE, 'return "a load outside of what may be read";', 'return NULL;', 'jit-proof'),
   'both ways have one stack': (STATE, 'to->aligned_at == from->aligned_at;', 'true;\n   *fine = true;', 'jit-proof'),
   'what is stored over is forgotten': (STATE, 'if (overlaps(&state->slot[i], at, size_B))', 'if (false)', 'jit-proof'),
   'a frame that is left is forgotten': (STEP, 'cf_proof_leave_frame(state);', 'state->aligned_at = 0;', 'jit-proof'),
   'the frame is aligned below the entry': (STEP, 'top.lo >= 0 || state->aligned_at)', 'false)', 'jit-proof'),
   'nothing below the aligned frame': (
      STEP, 'return "an access below the aligned frame";', 'return NULL;', 'jit-proof'),
   'calls of functions': (STEP, 'to.base & CF_PROOF_FUNCTION', 'to.base >= CF_PROOF_OF_REGIONS', 'jit-proof'),
   'arguments of calls': (STEP, 'region && !value.lo && !value.hi ?', 'true ?', 'jit-proof'),
   'a call loses registers': (STEP, '   lose_registers(state);\n', '', 'jit-proof'),
   'a call loses what is below': (STEP, 'cf_proof_forget_below(state, state->reg[CF_PROOF_RSP]);', ';', 'jit-proof'),
   'returns have the stack of the entry': (
      STEP, 'return "a return with another stack pointer than at the entry";', '(void)0;', 'jit-proof'),
   'registers of the caller': (
      STEP, 'return "a return with a register that was not restored";', '(void)0;', 'jit-proof'),
   'flags that change': (
      STEP, '   if (insn->flags)\n      state->compared.valid = false;\n   if (insn->op',
      '   if (insn->op', 'jit-proof'),
   'narrow vectors leave zeros': (STEP, 'insn->lanes || !insn->whole ?', 'insn->lanes ?', 'jit-proof'),
   'a moved dword leaves zeros': (INSN, '      insn->whole = false;\n', '      (void)0;\n', 'jit-proof'),
   'SSE in code of AVX': (INSN, 'if (wide && !insn->wide)', 'if (false)', 'jit-proof'),
   'products of 16 bits': (STEP, 'left.hi <= INT16_MAX && right.hi <= INT16_MAX ?', 'true ?', 'jit-proof'),
   'shuffled bytes': (
      STEP, 'right.lo >> 8 == 0x808080 && right.hi >> 8 == 0x808080 ?', 'true ?', 'jit-proof'),
   'second bytes': (INSN, 'is_second_byte(first) || is_second_byte(last) || wide', 'wide', 'jit-proof'),
   'both ways have one byte': (
      STATE, 'from->low[i] > to->low[i] ? from->low[i] : to->low[i];', 'to->low[i];', 'jit-proof'),
   'a byte is a part': (STEP, 'state->reg[insn->dst].hi <= UINT8_MAX\n', 'true\n', 'jit-proof'),
   'or of bits that overlap': (VALUE, '!(possible_bits(a) & possible_bits(b))', 'true', 'jit-proof'),
   'bits of a byte': (STEP, 'return left < right ? left : right;', 'return 0;', 'jit-proof'),
   'more bits of a byte': (STEP, '      left |= right;\n', '', 'jit-proof'),
   'bytes of memory': (STEP, '   else if (!insn->memory)\n      right', '   else\n      right', 'jit-proof'),
   'other operations on bytes': (
      INSN, 'CF_MC_SET : CF_MC_OTHER;\n   }', 'CF_MC_SET : CF_MC_BYTE_AND;\n   }', 'jit-proof'),
   'bits that a constant lacks': (
      VALUE, 'cf_proof_constant(CF_PROOF_NUMBER, ~b.lo)', 'cf_proof_constant(CF_PROOF_NUMBER, 0)', 'jit-proof'),
   'numbers that compare so': (
      STEP, 'if (least > most)\n      return false;', 'if (least >= most)\n      return false;', 'jit-proof'),
   'numbers between steps': (STEP, 'if (up > room)', 'if (up >= room)', 'jit-proof'),
   'numbers above all': (STEP, 'v->hi > with && restrict_to', 'v->hi > with + 1 && restrict_to', 'jit-proof'),
   'halves of compared numbers': (
      STEP, 'const bool narrow = width_B < 8 &&', 'const bool narrow = false &&', 'jit-proof'),
   'numbers with a sign': (STEP, 'return !cf_proof_is_natural(*v) || restrict_to(v, with,',
                           'return restrict_to(v, with,', 'jit-proof'),
   'moves that may be made': (STEP, 'if (moves != stays)', 'if (stays)', 'jit-proof'),
   'constants at an index': (STATE, 'return is_within(at, size_B, code);', 'return true;', 'jit-proof'),
   'bits of three words': (VALUE, '(i & 4 ? may[0] : UINT64_MAX)', 'may[0]', 'jit-proof'),
   'shifts by a vector': (INSN, ' || insn->vector_op == CF_MC_SHR) &&', ') &&', 'jit-proof'),
   'what differs from itself': (STEP, 'insn->vector_left == insn->vector_src &&', 'true &&', 'jit-proof'),
   'masked lanes': (STEP, 'keeps ? cf_proof_union(v, *to) : v', 'v', 'jit-proof'),
   'exclusive or is another': (STEP, 'NUMBER, 0) : cf_proof_xor(', 'NUMBER, 0) : cf_proof_or(', 'jit-proof'),
   'values on their steps': (VALUE, '(int64_t)((uint64_t)hi - over)', 'hi', 'jit-proof'),
   'cleared vectors': (INSN, 'return CF_MC_CLEAR;', 'return CF_MC_OTHER;', 'jit-proof'),
   'masked bytes': (INSN, 'insn->vector_op == CF_MC_SHUFFLE && insn->lanes', 'false && insn->lanes', 'jit-proof'),
   'widths of registers': (INSN, 'size_B = vector_width_B(&d->operand[i]);',
                           'size_B = (uint8_t)(d->operand[i].size / 8);', 'jit-proof'),
   'blends of two': (STEP, 'return cf_proof_union(left, right);', 'return right;', 'jit-proof'),
   'blends of the first': (STEP, 'return cf_proof_union(left, right);', 'return left;', 'jit-proof'),
   'words computed in memory': (STEP, 'in_memory && insn->width_B >= 4)', 'in_memory)', 'jit-proof'),
   'memory shifted by a register': (STEP, 'by_register && insn->left != CF_PROOF_NO_REG &&', 'by_register &&',
                                    'jit-proof'),
   'shifts to the left by a register': (STEP, ' && insn->op != CF_MC_SHL && positive)', ' && positive)', 'jit-proof'),
   'a sign shifted by a register': (STEP, ' != CF_MC_SHL && positive)', ' != CF_MC_SHL)', 'jit-proof'),
}
if os.geteuid() == 0:             # only root can make a folder of another user
   GUARDS['owner of the folder'] = (CACHE, 'status.st_uid != geteuid()', '0', 'jit-cache')


def meson():
   return shutil.which('meson', path=f'{ROOT / ".clipfree/bin"}{os.pathsep}{os.environ["PATH"]}') or 'meson'


def without(guard):
   """The text of a guard's file without it. None: it has not once what is to be taken out."""
   file, old, new, _ = GUARDS[guard]
   text = (ROOT / 'src/clipfree' / file).read_text()
   return text.replace(old, new) if text.count(old) == 1 else None


def copy():
   """Copies the source, but for files that are the same: what was built of them stays. Returns why not."""
   for name in COPIED:
      top = ROOT / name
      for path in sorted(top.rglob('*')) if top.is_dir() else [top]:
         to = COPY / 'source' / path.relative_to(ROOT)
         if path.is_file() and '__pycache__' not in path.parts and \
               not (to.exists() and to.read_bytes() == path.read_bytes()):
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, to)
   if (COPY / 'build/build.ninja').exists():
      return ''
   made = run([meson(), 'setup', COPY / 'build', COPY / 'source', '-Dmesa=disabled'], driver_env(), timeout_s=BUILD_S)
   return '' if made.ok else made.why()


def tested(test):
   """Builds a unit test and runs it. (whether it was built, whether it passed, the last that was said)"""
   module = 'src/clipfree/jit/llvm/libclipfree_jit.so'
   program, words = f'src/clipfree/test-{test}', []
   if test in OF_COMPILER:
      program, words = f'src/clipfree/jit/llvm/test-{test}', [module]
   made = run(['ninja', '-C', COPY / 'build', program, *words], driver_env(), timeout_s=BUILD_S)
   if not made.ok:
      return False, False, made.why()
   outcome = run([COPY / 'build' / program, *(COPY / 'build' / word for word in words)], driver_env(), timeout_s=120,
                 cwd=COPY)
   return True, outcome.ok, outcome.why()


def check_guards(suite, _folder):
   why = copy()
   if why:
      suite.check('guards', False, why)
      return
   for test in sorted({test for *_, test in GUARDS.values()}):
      built, passed, why = tested(test)
      suite.check(f'all guards, {test}', built and passed, why)
   for guard, (file, _, _, test) in GUARDS.items():
      path = COPY / 'source/src/clipfree' / file
      text = without(guard)
      if text is None:
         suite.check(f'without a guard: {guard}', False, f'{file} has not once what guards.py takes out')
         continue
      path.write_text(text)
      built, passed, why = tested(test)
      shutil.copy(ROOT / 'src/clipfree' / file, path)
      suite.check(f'without a guard: {guard}', built and not passed, why)


LONG = {'guards': check_guards}
