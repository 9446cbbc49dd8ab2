/* SPDX-License-Identifier: MIT */
/*
 * Verification: a task runs in both engines, and the results are compared. After a difference it
 * runs again in lock step: watched code, which calls back after each instruction, and the
 * interpreter, one instruction at a time. The first difference is printed.
 *
 * Limitation: watched code is not optimised across instructions. If only optimised code is wrong,
 * no instruction is found, and the message says so.
 */
#include "clipfree/jit/cf_jit_verify.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clipfree/arith/cf_minmax.h"
#include "clipfree/isa/cf_asm.h"
#include "clipfree/jit/cf_jit_job.h"
#include "clipfree/jit/cf_quad_work.h"
#include "clipfree/pixel/cf_pixel_samples.h"
#include "clipfree/shader/cf_engine.h"

/* ---- counting ---- */

/* Global: the process may exit without destroying its GPUs. */
static atomic_ullong verified_tasks, missed_tasks;
static atomic_uint verified_programs;

static void
print_verified(void)
{
   const unsigned long long missed = atomic_load(&missed_tasks);
   fprintf(stderr, "clipfree: verified %llu tasks of %u programs\n", atomic_load(&verified_tasks),
           atomic_load(&verified_programs));
   if (missed)
      fprintf(stderr, "clipfree: not verified, for want of memory: %llu tasks\n", missed);
}

static void
print_at_exit(void)
{
   atexit(print_verified);
}

void
cf_jit_verify_begin(void)
{
   static pthread_once_t once = PTHREAD_ONCE_INIT;
   pthread_once(&once, print_at_exit);
}

static void
count(atomic_flag *counted, bool compared)
{
   if (!compared) {
      atomic_fetch_add(&missed_tasks, 1);
      return;
   }
   atomic_fetch_add(&verified_tasks, 1);
   if (!atomic_flag_test_and_set(counted))
      atomic_fetch_add(&verified_programs, 1);
}

/* ---- differences ---- */

static bool
is_same(uint32_t a, uint32_t b)
{
   return a == b || (cf_isnan(cf_float(a)) && cf_isnan(cf_float(b)));
}

/* The first of `lanes` in which two rows differ; CF_TASK_LANES: none. */
static unsigned
first_difference(const uint32_t *a, const uint32_t *b, uint32_t lanes)
{
   unsigned lane = 0;
   while (lane < CF_TASK_LANES && (!(lanes >> lane & 1) || is_same(a[lane], b[lane])))
      lane++;
   return lane;
}

static void
print_difference(const struct cf_verify_value *d)
{
   fprintf(stderr,
           "%s %u, lane %u: interpreted 0x%08" PRIx32 " (%g), compiled 0x%08" PRIx32 " (%g)",
           d->what, d->index, d->lane, d->interpreted, (double)cf_float(d->interpreted),
           d->compiled, (double)cf_float(d->compiled));
}

static void
print_program(const struct cf_decoded *program)
{
   fprintf(stderr, "%s:\n", program->name);
   for (unsigned i = 0; i < program->count; i++) {
      char text[128];
      cf_disassemble_instr(&program->instrs[i], text, sizeof(text));
      fprintf(stderr, "%5u  %s\n", i, text);
   }
}

static struct cf_verify_value
compare_ends(const struct cf_run *run, const struct cf_run *other)
{
   if (run->task->timed_out != other->task->timed_out)
      return (struct cf_verify_value){ "timed_out", 0, 0, run->task->timed_out,
                                       other->task->timed_out };
   if (!run->task->timed_out && run->alive != other->alive)
      return (struct cf_verify_value){ "alive", 0, 0, run->alive, other->alive };
   return (struct cf_verify_value){ NULL };
}

/* Lanes whose outputs are compared: vertex programs have no dead lanes. */
static uint32_t
exporting(const struct cf_run *run, uint32_t first_exec)
{
   return run->stage->program->info.stage == CF_SHADER_STAGE_FRAGMENT ? run->alive & first_exec
                                                                      : first_exec;
}

static struct cf_verify_value
compare(const struct cf_run *run, uint32_t first_exec, const struct cf_run *other)
{
   struct cf_verify_value d = compare_ends(run, other);
   for (unsigned i = 0; !d.what && !run->task->timed_out && i < run->stage->program->info.outputs;
        i++) {
      const uint32_t *a = run->task->out[i], *b = other->task->out[i];
      const unsigned lane = first_difference(a, b, exporting(run, first_exec));
      if (lane < CF_TASK_LANES)
         d = (struct cf_verify_value){ "output", i, lane, a[lane], b[lane] };
   }
   return d;
}

/* ---- copies ---- */

/* A copy of a run, with its own task and scratch. */
struct task_copy {
   struct cf_run run;
   struct cf_task *task;
   void *scratch;
};

static bool
begin_copy(struct task_copy *copy, const struct cf_run *run)
{
   const size_t scratch_B = run->task->scratch ? (size_t)run->task->scratch_dwords * CF_ROW_B : 0;
   copy->run = *run;
   copy->task = aligned_alloc(64, sizeof(*copy->task));
   copy->scratch = aligned_alloc(64, (scratch_B + 64) & ~(size_t)63);
   if (!copy->task || !copy->scratch)
      return false;
   memcpy(copy->task, run->task, sizeof(*copy->task));
   if (scratch_B)
      memcpy(copy->scratch, run->task->scratch, scratch_B);
   copy->task->scratch = copy->scratch;
   copy->run.task = copy->task;
   return true;
}

static void
end_copy(struct task_copy *copy)
{
   free(copy->task);
   free(copy->scratch);
}

/* Copy a task that has run, to run it again from `begun`: programs do not change inputs, nor read
 * registers before writing them. */
static bool
begin_again(struct task_copy *copy, const struct cf_run *begun)
{
   if (!begin_copy(copy, begun))
      return false;
   const uint32_t first = cf_scratch_inputs_end(&begun->stage->program->info);
   if (copy->task->scratch_dwords > first && begun->task->scratch)
      memset(copy->task->scratch[first], 0,
             (size_t)(copy->task->scratch_dwords - first) * CF_ROW_B);
   copy->task->timed_out = false;
   return true;
}

/* ---- in lock step ---- */

struct steps {
   struct task_copy compiled; /* first member: run->watch gets its `run`, and casts it */
   struct task_copy interpreted;
   uint32_t last_flow;         /* the last control flow instruction; UINT32_MAX: none yet */
   /* gets what is found first, which is then not printed; NULL: it is, and aborts the process */
   struct cf_verify_difference *found;
   char text[128]; /* of the instruction found */
};

/* Note the instruction that is found. */
static void
note_instr(struct steps *steps, enum cf_verify_found found, uint32_t at)
{
   const struct cf_decoded *program = steps->interpreted.run.stage->program;
   steps->found->found = found;
   steps->found->pc = at;
   if (at != UINT32_MAX)
      cf_disassemble_instr(&program->instrs[at], steps->text, sizeof(steps->text));
}

static _Noreturn void
end_process(const struct cf_run *run)
{
   fprintf(stderr, "; first exec 0x%08" PRIx32 ", alive 0x%08" PRIx32 ". The program ",
           run->first_exec, run->alive);
   print_program(run->stage->program);
   abort();
}

static void
print_instr(const struct cf_run *run, uint32_t at)
{
   char text[128];
   cf_disassemble_instr(&run->stage->program->instrs[at], text, sizeof(text));
   fprintf(stderr, "pc %" PRIu32 ": %s: ", at, text);
}

/* The engines are at different instructions, or have different exec masks: the last branch was
 * wrong in one of them. */
static _Noreturn void
print_flow(const struct steps *steps, uint32_t at)
{
   const struct cf_run *run = &steps->interpreted.run;
   if (steps->last_flow != UINT32_MAX)
      print_instr(run, steps->last_flow);
   fprintf(stderr, "interpreted it goes on in lanes 0x%08" PRIx32 " at ", run->exec);
   if (run->next)
      fprintf(stderr, "pc %" PRIu32, cf_run_at(run));
   else
      fprintf(stderr, "the end");
   fprintf(stderr, ", compiled in lanes 0x%08" PRIx32 " at pc %" PRIu32, steps->compiled.run.exec,
           at);
   end_process(run);
}

static void
report_flow(struct steps *steps, uint32_t at)
{
   if (!steps->found)
      print_flow(steps, at);
   note_instr(steps, CF_VERIFY_FLOW, steps->last_flow);
}

static void
report_step(struct steps *steps, uint32_t at, const struct cf_verify_value *value)
{
   if (steps->found) {
      note_instr(steps, CF_VERIFY_RESULT, at);
      steps->found->value = *value;
      return;
   }
   print_instr(&steps->interpreted.run, at);
   print_difference(value);
   end_process(&steps->interpreted.run);
}

/* Compare the results of an instruction that both have run. */
static void
compare_step(struct steps *steps, const struct cf_step *step)
{
   const struct cf_run *run = &steps->interpreted.run;
   const uint32_t at = (uint32_t)(step - run->steps);
   const unsigned rows = cf_written_rows(&run->stage->program->instrs[at]);
   for (unsigned c = 0; c < 4; c++) {
      const int32_t offset = step->dst + (int32_t)(c * CF_ROW_B);
      const uint32_t *a = rows >> c & 1 ? cf_row(run, offset) : NULL;
      const uint32_t *b = a ? cf_row(&steps->compiled.run, offset) : NULL;
      const unsigned lane = a ? first_difference(a, b, run->exec) : CF_TASK_LANES;
      if (lane < CF_TASK_LANES) {
         report_step(steps, at,
                     &(struct cf_verify_value){ "component", c, lane, a[lane], b[lane] });
         return;
      }
   }
}

/* run->watch: compiled code has run instruction `at`, or, for control flow, is about to. */
static void
watch(struct cf_run *compiled, uint32_t at)
{
   struct steps *steps = (struct steps *)compiled;
   struct cf_run *run = &steps->interpreted.run;
   const struct cf_step *step = run->next;
   if (steps->found && steps->found->found != CF_VERIFY_NOTHING)
      return; /* the compiled code goes on alone */
   if (!step || at != cf_run_at(run) || compiled->exec != run->exec) {
      report_flow(steps, at);
      return;
   }
   cf_run_step(run);
   if (cf_is_flow(run->stage->program->instrs[at].op))
      steps->last_flow = at;
   else
      compare_step(steps, step);
}

/* Run in lock step. False: out of memory. */
static bool
run_steps(struct steps *steps, cf_jit_function watched, const struct cf_run *begun)
{
   steps->last_flow = UINT32_MAX;
   const bool ready =
      begin_again(&steps->compiled, begun) & begin_again(&steps->interpreted, begun);
   if (ready) {
      steps->interpreted.run.next = begun->steps;
      steps->compiled.run.watch = watch;
      watched(&steps->compiled.run);
   }
   end_copy(&steps->compiled);
   end_copy(&steps->interpreted);
   return ready;
}

bool
cf_jit_verify_steps(cf_jit_function watched, const struct cf_run *begun)
{
   struct steps steps = { .found = NULL };
   return run_steps(&steps, watched, begun);
}

bool
cf_jit_run_watched(struct cf_jit *jit, struct cf_run *run,
                   void (*watch)(struct cf_run *run, uint32_t at))
{
   const struct cf_jit_job of = { .jit = jit, .source = { .program = run->stage->program } };
   struct cf_jit_job watched;
   const cf_jit_function function = (cf_jit_function)cf_jit_job_watched(&watched, &of);
   if (function) {
      run->watch = watch;
      function(run);
   }
   cf_jit_job_end(&watched);
   return function;
}

/* Print the first instruction whose result differs, and abort; if none is found, print why.
 * `begun`: its task still has the inputs. */
static void
find_instr(const struct cf_run *begun, const struct cf_jit_job *job)
{
   struct cf_jit_job watched;
   cf_jit_function function = job ? (cf_jit_function)cf_jit_job_watched(&watched, job) : NULL;
   if (!function || !cf_jit_verify_steps(function, begun))
      fprintf(stderr, "the instruction is not known: there is no code to be watched, or no memory");
   else
      fprintf(stderr, "no instruction differs when the program is compiled to be watched: the difference %sis made by optimisation",
              begun->work ? "is in writing pixels, or " : "");
}

/* Find the instruction, and tell who is to be told. */
static void
tell(const struct cf_run *begun, const struct cf_verify_value *d, const struct cf_jit_job *job,
     const struct cf_verify_report *report)
{
   const struct cf_decoded *program = begun->stage->program;
   struct cf_verify_difference difference = {
      .program = program->name,
      .vertices = program->info.stage == CF_SHADER_STAGE_VERTEX,
      .writes_pixels = begun->work != NULL,
      .task = *d,
      .found = CF_VERIFY_NOTHING,
   };
   struct cf_jit_job watched;
   struct steps steps = { .found = &difference };
   cf_jit_function function = (cf_jit_function)cf_jit_job_watched(&watched, job);
   if (!function || !run_steps(&steps, function, begun))
      difference.found = CF_VERIFY_UNKNOWN;
   difference.text = steps.text;
   cf_jit_job_end(&watched);
   report->differs(report->user, &difference);
}

static void
report(const struct cf_run *begun, const struct cf_verify_value *d, const struct cf_jit_job *job)
{
   if (job && job->jit->config.verify_report) {
      tell(begun, d, job, job->jit->config.verify_report);
      return;
   }
   fprintf(stderr, "clipfree: the engines differ. ");
   print_difference(d);
   fprintf(stderr, "\nclipfree: ");
   find_instr(begun, job);
   end_process(begun);
}

/* ---- tasks ---- */

void
cf_jit_verify(cf_jit_function function, struct cf_run *run, const struct cf_jit_job *job,
              atomic_flag *counted)
{
   const struct cf_run begun = *run;
   struct task_copy other;
   const bool copied = begin_copy(&other, run);
   if (copied)
      function(&other.run);
   cf_interpret(run);
   const struct cf_verify_value d =
      copied ? compare(run, begun.first_exec, &other.run) : (struct cf_verify_value){ NULL };
   if (d.what)
      report(&begun, &d, job);
   end_copy(&other);
   count(counted, copied);
}

/* ---- from quads to pixels ---- */

/* The pixels of a task's quads in one image. Images are color targets and depth-stencil, for each
 * sample. */
typedef uint8_t quad_pixels[CF_TASK_QUADS][4 * 16];
#define ZS CF_MAX_COLOR_TARGETS
#define IMAGES_OF_SAMPLE (CF_MAX_COLOR_TARGETS + 1)
#define IMAGES (CF_SAMPLES * IMAGES_OF_SAMPLE)

/* The image with this number; NULL: the task does not write it. */
static const struct cf_image *
written_image(const struct cf_quad_work *work, uint32_t image)
{
   const uint32_t sample = image / IMAGES_OF_SAMPLE, i = image % IMAGES_OF_SAMPLE;
   const struct cf_pixel_config *pixel = &work->fragments.pixel[sample];
   if (sample >= cf_max_u32(work->key->samples, 1))
      return NULL;
   if (i == ZS)
      return work->key->late_tests && pixel->tests_needed ? &pixel->zs : NULL;
   return i < pixel->color_count && pixel->color_writes >> i & 1 ? &pixel->color[i] : NULL;
}

static uint8_t *
quad_at(const struct cf_image *image, const struct cf_quad *quad)
{
   return image->data + cf_image_offset_B(image, quad->x_px, quad->y_px);
}

static void
read_pixels(const struct cf_quad_work *work, quad_pixels pixels[IMAGES])
{
   for (uint32_t i = 0; i < IMAGES; i++) {
      const struct cf_image *image = written_image(work, i);
      for (unsigned q = 0; q < CF_TASK_QUADS && image; q++)
         memcpy(pixels[i][q], quad_at(image, &work->fragments.quads[q]),
                4 * image->format->pixel_B);
   }
}

static void
write_pixels(const struct cf_quad_work *work, const quad_pixels pixels[IMAGES])
{
   for (uint32_t i = 0; i < IMAGES; i++) {
      const struct cf_image *image = written_image(work, i);
      for (unsigned q = 0; q < work->fragments.count && image; q++)
         memcpy(quad_at(image, &work->fragments.quads[q]), pixels[i][q],
                4 * image->format->pixel_B);
   }
}

/* Compare pixels, up to four bytes at a time. `index`: the color target. */
static struct cf_verify_value
compare_image(const struct cf_image *image, uint32_t i, const quad_pixels interpreted,
              const quad_pixels compiled)
{
   const uint32_t pixel_B = image->format->pixel_B, part_B = cf_min_u32(pixel_B, 4);
   for (uint32_t at = 0; at < CF_TASK_LANES * pixel_B; at += part_B) {
      const uint32_t lane = at / pixel_B, in_quad_B = at % (4 * pixel_B);
      uint32_t a = 0, b = 0;
      memcpy(&a, interpreted[lane / 4] + in_quad_B, part_B);
      memcpy(&b, compiled[lane / 4] + in_quad_B, part_B);
      if (a != b)
         return (struct cf_verify_value){ i == ZS ? "depth or stencil" : "pixel of target",
                                          i == ZS ? 0 : i, lane, a, b };
   }
   return (struct cf_verify_value){ NULL };
}

static struct cf_verify_value
compare_pixels(const struct cf_quad_work *work, const quad_pixels interpreted[IMAGES],
               const quad_pixels compiled[IMAGES])
{
   struct cf_verify_value d = { NULL };
   for (uint32_t i = 0; i < IMAGES && !d.what; i++) {
      const struct cf_image *image = written_image(work, i);
      if (image)
         d = compare_image(image, i % IMAGES_OF_SAMPLE, interpreted[i], compiled[i]);
   }
   return d;
}

/* Test and write the interpreter's results, for the quads of the compiled code's task. */
static void
write_interpreted(struct cf_run *run)
{
   const struct cf_quad_work *work = run->work;
   uint32_t written[CF_SAMPLES] = { 0 };
   cf_fragments_end(&work->fragments, run->task, run->alive, written);
   if (work->written)
      memcpy(*work->written, written, sizeof(written));
   run->alive = written[0] | written[1] | written[2] | written[3];
}

void
cf_jit_verify_quads(cf_jit_function function, struct cf_run *run, const struct cf_jit_job *job,
                    atomic_flag *counted)
{
   const struct cf_quad_work *work = run->work;
   quad_pixels before[IMAGES], compiled[IMAGES], interpreted[IMAGES];
   struct task_copy other;
   const bool copied = begin_copy(&other, run);
   read_pixels(work, before);
   if (copied)
      function(&other.run);
   read_pixels(work, compiled);
   write_pixels(work, (const quad_pixels *)before);
   cf_fragments_begin(&work->fragments, run->task);
   memcpy(run->varyings, run->task->varyings, sizeof(run->varyings));
   const struct cf_run begun = *run;
   cf_interpret(run);
   write_interpreted(run);
   run->table = begun.table; /* for the tasks that follow */
   read_pixels(work, interpreted);
   struct cf_verify_value d = { NULL };
   if (copied)
      d = compare_ends(run, &other.run);
   if (copied && !d.what)
      d = compare_pixels(work, (const quad_pixels *)interpreted, (const quad_pixels *)compiled);
   if (d.what) {
      uint32_t written[CF_SAMPLES] = { 0 };
      if (work->written)
         memcpy(written, *work->written, sizeof(written));
      report(&begun, &d, job);
      /* it has run the compiled code again */
      write_pixels(work, (const quad_pixels *)interpreted);
      if (work->written)
         memcpy(*work->written, written, sizeof(written));
   }
   end_copy(&other);
   count(counted, copied);
}
