/* SPDX-License-Identifier: MIT */
/* Verification finds wrong code: of a faulty compiler, where it names the first wrong instruction,
 * and of a faulty engine. */
#include "clipfree/jit/llvm/test_canvas.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clipfree/jit/cf_jit_job.h"
#include "clipfree/jit/cf_jit_verify.h"
#include "clipfree/jit/cf_quad_work_run.h"

/* Compiled code that adds instead of multiplying, in lane 5. */
static void
wrong_code(struct cf_run *run)
{
   for (unsigned lane = 0; lane < LANES; lane++) {
      const float x = cf_float(run->task->sys[CF_SYSVAL_FRAG_X][lane]);
      run->task->out[0][lane] = cf_bits(lane == 5 ? x + x : x * x);
   }
}

/* The faults of the compiler. */
static const struct cf_jit_compiler *right_compiler;
static struct fault {
   unsigned at;           /* index of the instruction that is replaced */
   enum cf_op op;         /* its new operation */
   uint8_t src;           /* index of its new first operand; 0: unchanged */
   bool pixels;           /* red and blue are exchanged in pixels */
   bool watched_is_right; /* watched code has no fault */
} fault;

static bool
compile_wrong(const struct cf_jit_source *source, enum cf_host_level level,
              struct cf_jit_bytes *object, char *error, size_t error_size, atomic_int *phase)
{
   if (source->watched && fault.watched_is_right)
      return right_compiler->compile(source, level, object, error, error_size, phase);
   struct cf_jit_source other = *source;
   struct cf_decoded program = *source->program;
   struct cf_instr instrs[32];
   struct cf_pixel_key pixel;
   assert_in_range(program.count, 1, 32);
   memcpy(instrs, program.instrs, program.count * sizeof(instrs[0]));
   program.instrs = instrs;
   other.program = &program;
   instrs[fault.at].op = fault.op;
   if (fault.src)
      instrs[fault.at].src[0].index = fault.src;
   if (source->pixel && fault.pixels) {
      pixel = *source->pixel;
      pixel.target[0].format = CF_FORMAT_B8G8R8A8_UNORM;
      other.pixel = &pixel;
   }
   return right_compiler->compile(&other, level, object, error, error_size, phase);
}

/* A JIT with the faulty compiler, under verification. report: NULL, or who is told. */
static struct cf_jit *
create_faulty(const struct cf_verify_report *report)
{
   static struct cf_jit_compiler wrong;
   struct cf_jit_config config = config_of(CF_JIT_ALWAYS);
   config.verify = true;
   config.verify_report = report;
   struct cf_jit *jit = cf_jit_create(&config);
   right_compiler = jit->compiler;
   wrong = *jit->compiler;
   wrong.compile = compile_wrong;
   jit->compiler = &wrong;
   return jit;
}

static atomic_flag counted = ATOMIC_FLAG_INIT;

static bool
verify_wrong(struct cf_engine *engine, struct cf_run *run)
{
   (void)engine;
   cf_jit_verify(wrong_code, run, NULL, &counted);
   return true;
}

/* Compiled code that writes no pixels. */
static void
no_code(struct cf_run *run)
{
   (void)run;
}

static void
verify_no_code(struct cf_run *run)
{
   cf_jit_verify_quads(no_code, run, NULL, &counted);
}

static bool
verify_nothing(struct cf_engine *engine, struct cf_run *run)
{
   (void)engine;
   cf_quad_work_run(run, verify_no_code);
   return true;
}

static struct cf_engine wrong_engine = { .run = verify_wrong, .run_quads = verify_nothing };

/* In a child process: run a task of the program, from quads to pixels if there is a canvas, with
 * the faulty compiler or (not `compiled`) wrong_engine. */
static void
run_verified(struct fixture *f, struct canvas *canvas, bool compiled)
{
   struct cf_decoded *program = (struct cf_decoded *)f->stage.program;
   if (compiled)
      cf_jit_attach(create_faulty(NULL), program);
   else
      program->engine = &wrong_engine;
   if (canvas)
      run_quad_tasks(f, canvas, SPECIAL_TASKS + 1);
   else
      fixture_run(f, cf_host_level(), 0xffffffff);
   exit(0);
}

/* Verifying a task of the program aborts with the expected messages. */
static void
assert_found(const char *program, struct canvas *canvas, bool compiled,
             const char *const expected[3])
{
   struct fixture f;
   int pipes[2], status;
   char message[2048] = "";
   size_t length = 0;
   fixture_init(&f);
   f.info.outputs = 4;
   assert_true(fixture_load(&f, program));
   for (unsigned lane = 0; lane < LANES; lane++)
      f.task->sys[CF_SYSVAL_FRAG_X][lane] = cf_bits(lane < 5 ? 2.0f : 3.0f);
   assert_int_equal(pipe(pipes), 0);
   const pid_t child = fork();
   if (child == 0) {
      dup2(pipes[1], 2);
      run_verified(&f, canvas, compiled);
   }
   close(pipes[1]);
   for (ssize_t got; (got = read(pipes[0], message + length, sizeof(message) - 1 - length)) > 0;)
      length += (size_t)got;
   close(pipes[0]);
   assert_int_equal(waitpid(child, &status, 0), child);
   assert_true(WIFSIGNALED(status));
   for (unsigned i = 0; i < 3; i++) {
      if (!strstr(message, expected[i]))
         fail_msg("'%s' is not in:\n%s", expected[i], message);
   }
   fixture_end(&f);
}

static void
test_verify_finds(void **state)
{
   (void)state;
   struct canvas canvas;
   canvas_init(&canvas);
   assert_found(text, NULL, false,
                (const char *[]){ "output 0, lane 5: interpreted 0x41100000 (9), compiled 0x40c00000 (6)",
                                  "the instruction is not known", "end" });
   assert_found(white_text, &canvas, false,
                (const char *[]){ "pixel of target 0, lane 0: interpreted 0xffffffff", "the instruction is not known", "end" });
}

/* Lanes with frag_x 2 run one iteration, those with 3 two; v3 is 4, then 9. */
static const char rounds_text[] =
   "sys v0, frag_x\nmovi v1, 0x3f800000\nloop\nback: fadd v1, v1, 1.0\nfmul v3, v1, v1\n"
   "fge v2, v1, v0\nbrk v2, last\nlast: endloop back\noutf 0, v3\nend";

/* The first instruction that differs, in execution order, is found. */
static void
test_verify_finds_instr(void **state)
{
   (void)state;
   fault = (struct fault){ .at = 1, .op = CF_OP_FADD };
   assert_found("sys v0, frag_x\nfmul v1, v0, v0\nfmul v1, v1, v0\noutf 0, v1\nend", NULL, true,
                (const char *[]){ "output 0, lane 5: interpreted 0x41d80000 (27), compiled 0x41900000 (18)",
                                  "pc 1: fmul v1, v0, v0: component 0, lane 5: interpreted 0x41100000 (9), compiled 0x40c00000 (6)",
                                  "clipfree_fs_" });
   fault = (struct fault){ .at = 4, .op = CF_OP_FADD }; /* in the second iteration */
   assert_found(rounds_text, NULL, true,
                (const char *[]){ "output 0, lane 5: interpreted 0x41100000 (9)",
                                  "pc 4: fmul v3, v1, v1: component 0, lane 5: interpreted 0x41100000 (9), compiled 0x40c00000 (6)",
                                  "exec 0xffffffff" });
   fault = (struct fault){ .at = 6, .op = CF_OP_BRK, .src = 1 }; /* all lanes leave */
   assert_found(
      rounds_text, NULL, true,
      (const char *[]){
         "output 0, lane 5: interpreted 0x41100000 (9), compiled 0x40800000 (4)",
         "pc 6: brk v2, 7: interpreted it goes on in lanes 0xffffffe0 at pc 7, compiled in lanes "
         "0x00000000 at pc 7",
         "end" });
   fault = (struct fault){ .at = 4, .op = CF_OP_FADD, .watched_is_right = true };
   assert_found(rounds_text, NULL, true,
                (const char *[]){ "output 0, lane 5: interpreted 0x41100000 (9)",
                                  "no instruction differs when the program is compiled to be watched: the difference is made by",
                                  "end" });
}

static void
test_verify_finds_in_quads(void **state)
{
   (void)state;
   static const char program[] =
      "movi v0, 0x3f000000\nfmul v1, v0, v0\nout 0, v0\nout 1, v1\nout 2, v1\nout 3, v0\nend";
   struct canvas canvas;
   canvas_init(&canvas);
   fault = (struct fault){ .at = 1, .op = CF_OP_FADD };
   assert_found(program, &canvas, true,
                (const char *[]){ "pixel of target 0, lane 0: interpreted 0x80404080",
                                  "pc 1: fmul v1, v0, v0: component 0, lane 0: interpreted 0x3e800000 (0.25), compiled "
                                  "0x3f800000 (1)",
                                  "end" });
   fault = (struct fault){ .op = CF_OP_MOVI, .pixels = true };
   assert_found(program, &canvas, true,
                (const char *[]){ "pixel of target 0, lane 0: interpreted 0x80404080",
                                  "no instruction differs when the program is compiled to be watched: the difference is in writing "
                                  "pixels, or",
                                  "end" });
}

/* What was told first, and how often it was. */
struct told {
   struct cf_verify_difference first;
   char text[128];
   unsigned times;
};

static void
note(void *user, const struct cf_verify_difference *difference)
{
   struct told *told = user;
   if (told->times++)
      return;
   told->first = *difference;
   snprintf(told->text, sizeof(told->text), "%s", difference->text);
}

/* Run tasks of the program, whose code has the fault, from quads to pixels if there is a canvas.
 * Who is told of differences is told, the interpreter's results are kept, and all goes on. */
static struct told
tell(const char *program, struct canvas *canvas, const char *output)
{
   struct fixture f;
   struct told told = { .times = 0 };
   const struct cf_verify_report report = { &told, note };
   fixture_init(&f);
   f.info.outputs = 4;
   assert_true(fixture_load(&f, program));
   for (unsigned lane = 0; lane < LANES; lane++)
      f.task->sys[CF_SYSVAL_FRAG_X][lane] = cf_bits(lane < 5 ? 2.0f : 3.0f);
   struct cf_jit *jit = create_faulty(&report);
   cf_jit_attach(jit, (struct cf_decoded *)f.stage.program);
   if (canvas) {
      run_quad_tasks(&f, canvas, SPECIAL_TASKS + 1);
   } else {
      fixture_run(&f, cf_host_level(), 0xffffffff);
      assert_float_equal(cf_float(f.task->out[0][5]), atof(output), 0);
   }
   fixture_end(&f);
   cf_jit_destroy(jit);
   return told;
}

static void
test_verify_tells(void **state)
{
   (void)state;
   fault = (struct fault){ .at = 4, .op = CF_OP_FADD };
   struct told told = tell(rounds_text, NULL, "9");
   assert_int_equal(told.times, 1);
   assert_int_equal(told.first.found, CF_VERIFY_RESULT);
   assert_string_equal(told.text, "fmul v3, v1, v1");
   assert_string_equal(told.first.task.what, "output");
   assert_int_equal(told.first.pc, 4);
   assert_int_equal(told.first.value.lane, 5);
   assert_int_equal(told.first.value.interpreted, cf_bits(9));
   assert_int_equal(told.first.value.compiled, cf_bits(6));
   fault = (struct fault){ .at = 6, .op = CF_OP_BRK, .src = 1 };
   told = tell(rounds_text, NULL, "9");
   assert_int_equal(told.first.found, CF_VERIFY_FLOW);
   assert_int_equal(told.first.pc, 6);
   fault = (struct fault){ .at = 4, .op = CF_OP_FADD, .watched_is_right = true };
   assert_int_equal(tell(rounds_text, NULL, "9").first.found, CF_VERIFY_NOTHING);
}

/* run_quad_tasks looks at the pixels: they are the interpreter's, white, though wrong code has run
 * before and after it. */
static void
test_verify_tells_of_quads(void **state)
{
   (void)state;
   static const char program[] =
      "movi v1, 0x3f000000\nfadd v0, v1, v1\nout 0, v0\nout 1, v0\nout 2, v0\nout 3, v0\nend";
   struct canvas canvas;
   canvas_init(&canvas);
   fault = (struct fault){ .at = 1, .op = CF_OP_FMUL };
   const struct told told = tell(program, &canvas, "");
   assert_in_range(told.times, 1, UINT32_MAX);
   assert_true(told.first.writes_pixels);
   assert_int_equal(told.first.found, CF_VERIFY_RESULT);
   assert_int_equal(told.first.pc, 1);
   assert_int_equal(told.first.task.interpreted, 0xffffffff);
}

/* A program with side effects is not run twice, so its wrong code is not found. */
static void
test_verify_pure_ones(void **state)
{
   (void)state;
   static const char program[] = "movi v0, 0x40000000\nfmul v1, v0, 4.0\nout 0, v1\nend";
   struct fixture f;
   fixture_init(&f);
   f.info.outputs = 4;
   assert_true(fixture_load(&f, program));
   assert_true(cf_program_is_pure(f.stage.program));
   ((struct cf_decoded *)f.stage.program)->pure = false;
   fault = (struct fault){ .at = 1, .op = CF_OP_FADD };
   struct cf_jit *jit = create_faulty(NULL);
   cf_jit_attach(jit, (struct cf_decoded *)f.stage.program);
   fixture_run(&f, cf_host_level(), 0xffffffff);
   assert_int_equal(f.task->out[0][0], cf_bits(6.0f));
   fixture_end(&f);
   cf_jit_destroy(jit);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) /* they abort when out of memory */
/* Tasks that cannot be copied do not count as verified. */
static void
test_verify_counts(void **state)
{
   (void)state;
   struct fixture f;
   int pipes[2], status;
   char message[1024] = "";
   assert_int_equal(pipe(pipes), 0);
   const pid_t child = fork();
   if (child == 0) {
      struct cf_jit_config config = config_of(CF_JIT_ALWAYS);
      config.verify = true;
      struct cf_jit *jit = cf_jit_create(&config);
      fixture_init(&f);
      const bool loaded = fixture_load(&f, text);
      cf_jit_attach(jit, (struct cf_decoded *)f.stage.program);
      cf_jit_finish(jit);
      /* such a copy fails on any host, at once under this limit */
      f.task->scratch_dwords = UINT32_MAX;
      const struct rlimit limit = { 1ul << 38, 1ul << 38 };
      setrlimit(RLIMIT_AS, &limit);
      run_tasks(&f, 3);
      dup2(pipes[1], 2);
      exit(!loaded);
   }
   close(pipes[1]);
   assert_int_equal(waitpid(child, &status, 0), child);
   assert_int_equal(status, 0);
   assert_true(read(pipes[0], message, sizeof(message) - 1) > 0);
   close(pipes[0]);
   assert_non_null(strstr(message, "not verified, for want of memory: 3 tasks"));
}
#endif

int
main(int argc, char **argv)
{
   assert_int_equal(argc, 2);
   module = argv[1];
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_verify_finds),
      cmocka_unit_test(test_verify_finds_instr),
      cmocka_unit_test(test_verify_finds_in_quads),
      cmocka_unit_test(test_verify_tells),
      cmocka_unit_test(test_verify_tells_of_quads),
      cmocka_unit_test(test_verify_pure_ones),
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
      cmocka_unit_test(test_verify_counts),
#endif
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
