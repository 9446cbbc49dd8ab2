/* SPDX-License-Identifier: MIT */
/*
 * Tiers: choose between the interpreter, a program's general code, and code specialised for its
 * state.
 */
#include "clipfree/jit/cf_jit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "clipfree/base/cf_for.h"
#include "clipfree/base/cf_inline.h"
#include "clipfree/jit/cf_jit_job.h"
#include "clipfree/jit/cf_jit_verify.h"
#include "clipfree/jit/cf_jit_version.h" /* generated: CF_JIT_BUILT */
#include "clipfree/jit/cf_quad_work_run.h"
#include "clipfree/pixel/cf_pixel.h"
#include "clipfree/shader/cf_engine.h"
#include "clipfree/texture/cf_texture.h"

/* Interpreted tasks after which a program is compiled: they take about a third of the time of
 * compiling. */
#define HOT_TASKS 16000

/* Compiled tasks after which code specialised for the bound textures is looked up in the cache; and
 * runs that then justify compiling it. */
#define SPECIAL_TASKS 200
#define HOT_SPECIAL 30000

/* Fused code of a program ("from quads to pixels", cf_quad_work.h), each specialised for texture
 * states and a pixel key. At MAX_QUADS the least recently used are evicted down to
 * QUADS_AFTER_EVICTION. */
#define MAX_QUADS 64
#define QUADS_AFTER_EVICTION 48

/* ---- programs ---- */

/* Code of a program specialised for the states of its texture units and, from quads to pixels, for
 * a pixel key. */
struct special {
   struct cf_jit_job job;
   uint32_t units_compared; /* bit per unit whose state matters */
   struct cf_sample_key units[CF_MAX_TEXTURE_UNITS];
   /* one table per texture state, so comparing pointers compares states */
   const struct cf_sample_functions *functions[CF_MAX_TEXTURE_UNITS];
   struct cf_pixel_key pixel;
   /* only from quads to pixels: */
   atomic_uint used; /* the program's quads_missed at its last use: for LRU */
   struct special *next;
};

struct jit_program {
   struct cf_engine engine;
   struct cf_jit_job job;
   uint32_t units;    /* bit per texture unit that it samples */
   atomic_flag verified; /* a task was verified (config.verify) */
   atomic_uint runs;  /* of the general code, counted up to SPECIAL_TASKS */
   atomic_bool refused; /* code from quads to pixels could not be compiled, for some pixel key */
   /* for tasks with inputs: specialised for the textures of task SPECIAL_TASKS, or NULL */
   struct special *_Atomic special;
   /* list from quads to pixels, at most MAX_QUADS; the newest first */
   struct special *_Atomic quads;
   struct special *_Atomic recent;  /* the element of `quads` that ran last */
   atomic_uint quads_count, quads_missed; /* quads_missed: tasks without matching code */
   bool is_full;                          /* in the list jit->full, guarded by jit->lock */
   struct jit_program *next_full;
};

static const struct cf_sample_functions *
functions_of(const struct cf_stage *stage, unsigned unit)
{
   return stage->textures[unit] ? stage->textures[unit]->functions : NULL;
}

/* Whether a sample of the program is inlined for these textures. */
static bool
inlines_samples(const struct cf_decoded *program, const struct cf_sample_key *units)
{
   const bool quads = program->info.stage == CF_SHADER_STAGE_FRAGMENT;
   bool inlines = false;
   for (unsigned i = 0; i < program->count && !inlines; i++) {
      const struct cf_instr *instr = &program->instrs[i];
      inlines = instr->op == CF_OP_TEX &&
                cf_sample_is_inlined(&units[instr->unit],
                                     cf_sample_variant(instr->mode, instr->mask, quads));
   }
   return inlines;
}

/* Specialise for a stage's textures, if any is short enough to be inlined, and for `pixel` if not
 * NULL. NULL: it would equal the general code, or out of memory. */
static struct special *
create_special(const struct jit_program *p, const struct cf_stage *stage,
               const struct cf_pixel_key *pixel, unsigned hot)
{
   struct special *special = calloc(1, sizeof(*special));
   CF_FOR_BITS (unit, special ? p->units : 0) {
      special->functions[unit] = functions_of(stage, unit);
      if (special->functions[unit])
         cf_sample_key_of(&special->units[unit], stage->textures[unit]);
   }
   const bool useful = special && inlines_samples(p->job.source.program, special->units);
   if (!special || (!useful && !pixel)) {
      free(special);
      return NULL;
   }
   struct cf_jit_source source = { .program = p->job.source.program };
   if (useful) {
      special->units_compared = p->units;
      source.units = special->units;
   }
   if (pixel) {
      memcpy(&special->pixel, pixel, cf_pixel_key_B(pixel));
      source.pixel = &special->pixel;
   }
   cf_jit_job_begin(&special->job, p->job.jit, source, hot);
   return special;
}

static bool
is_for_textures(const struct special *special, const struct cf_stage *stage)
{
   CF_FOR_BITS (unit, special->units_compared) {
      if (functions_of(stage, unit) != special->functions[unit])
         return false;
   }
   return true;
}

static bool
is_written_so(const struct special *special, const struct cf_pixel_key *pixel)
{
   return special->pixel.targets == pixel->targets &&
          memcmp(&special->pixel, pixel, cf_pixel_key_B(pixel)) == 0;
}

/* The specialised code if it matches the stage; NULL: run the general code. */
static struct special *
specialise(struct jit_program *p, const struct cf_stage *stage)
{
   struct special *special = atomic_load_explicit(&p->special, memory_order_acquire);
   /* counting stops at SPECIAL_TASKS, so that threads do not contend for the counter's cache
    * line */
   if (!special && atomic_load_explicit(&p->runs, memory_order_relaxed) <= SPECIAL_TASKS &&
       atomic_fetch_add_explicit(&p->runs, 1, memory_order_relaxed) == SPECIAL_TASKS)
      atomic_store_explicit(&p->special, create_special(p, stage, NULL, HOT_SPECIAL),
                            memory_order_release);
   return special && is_for_textures(special, stage) ? special : NULL;
}

/* Whether to verify the task: it runs twice, so its program must be pure. */
static bool
is_verified(const struct jit_program *p, const struct cf_run *run)
{
   return p->job.jit->config.verify && cf_program_is_pure(run->stage->program);
}

static bool
run_program(struct cf_engine *engine, struct cf_run *run)
{
   struct jit_program *p = (struct jit_program *)engine;
   cf_jit_function function = (cf_jit_function)cf_jit_job_function(&p->job);
   if (!function)
      return false;
   struct special *special = p->units ? specialise(p, run->stage) : NULL;
   void *code = special ? cf_jit_job_function(&special->job) : NULL;
   if (code)
      function = (cf_jit_function)code;
   if (is_verified(p, run))
      cf_jit_verify(function, run, code ? &special->job : &p->job, &p->verified);
   else
      function(run);
   return true;
}

/* ---- from quads to pixels ---- */

/* Create a job for code that matches this task. */
static void
begin_quads(struct jit_program *p, const struct cf_run *run)
{
   struct special *special = create_special(p, run->stage, run->work->key, HOT_TASKS);
   if (!special)
      return;
   atomic_init(&special->used, atomic_load_explicit(&p->quads_missed, memory_order_relaxed));
   special->next = atomic_load_explicit(&p->quads, memory_order_relaxed);
   while (!atomic_compare_exchange_weak_explicit(&p->quads, &special->next, special,
                                                 memory_order_release, memory_order_relaxed))
      ;
}

/* The list is full: request eviction, which is possible only while no task runs. */
static void
request_eviction(struct jit_program *p)
{
   struct cf_jit *jit = p->job.jit;
   pthread_mutex_lock(&jit->lock);
   if (!p->is_full) {
      p->is_full = true;
      p->next_full = jit->full;
      jit->full = p;
      atomic_store_explicit(&jit->wants_eviction, true, memory_order_relaxed);
   }
   pthread_mutex_unlock(&jit->lock);
}

/* Count a miss. Every SPECIAL_TASKS-th miss creates code for its task. False: the list is full. */
static bool
count_missed(struct jit_program *p, const struct cf_run *run)
{
   const bool begin =
      atomic_fetch_add_explicit(&p->quads_missed, 1, memory_order_relaxed) % SPECIAL_TASKS ==
      SPECIAL_TASKS - 1;
   if (!begin)
      return atomic_load_explicit(&p->quads_count, memory_order_relaxed) < MAX_QUADS;
   if (atomic_fetch_add_explicit(&p->quads_count, 1, memory_order_relaxed) < MAX_QUADS) {
      begin_quads(p, run);
      return true;
   }
   atomic_fetch_sub_explicit(&p->quads_count, 1, memory_order_relaxed);
   request_eviction(p);
   return false;
}

/* Under CF_JIT_ALWAYS the first task creates its code at once: else the general code would be
 * compiled, which few tasks need. Other threads wait for the lock. */
static void
begin_first_quads(struct jit_program *p, const struct cf_run *run)
{
   struct cf_jit *jit = p->job.jit;
   if (jit->config.policy != CF_JIT_ALWAYS ||
       atomic_load_explicit(&p->quads_count, memory_order_acquire))
      return;
   pthread_mutex_lock(&jit->lock);
   if (!atomic_load_explicit(&p->quads_count, memory_order_relaxed)) {
      begin_quads(p, run);
      atomic_store_explicit(&p->quads_count, 1, memory_order_release);
   }
   pthread_mutex_unlock(&jit->lock);
}

/* Find the code that matches a task, trying the most recent first. NULL: a miss. */
CF_INLINE struct special *
find_special(struct jit_program *p, const struct cf_run *run)
{
   struct special *special = atomic_load_explicit(&p->recent, memory_order_acquire);
   if (special && is_written_so(special, run->work->key) && is_for_textures(special, run->stage))
      return special;
   special = atomic_load_explicit(&p->quads, memory_order_acquire);
   while (special &&
          (!is_written_so(special, run->work->key) || !is_for_textures(special, run->stage)))
      special = special->next;
   if (special) {
      atomic_store_explicit(&special->used,
                            atomic_load_explicit(&p->quads_missed, memory_order_relaxed),
                            memory_order_relaxed);
      atomic_store_explicit(&p->recent, special, memory_order_release);
   }
   return special;
}

/* Run a task in both engines. */
static void
verify_quads(struct cf_run *run)
{
   struct jit_program *p = (struct jit_program *)run->stage->program->engine;
   struct special *special = run->work->found;
   cf_jit_function function = (cf_jit_function)cf_jit_job_function(&special->job);
   cf_jit_verify_quads(function, run, &special->job, &p->verified);
}

static bool
run_quads(struct cf_engine *engine, struct cf_run *run)
{
   struct jit_program *p = (struct jit_program *)engine;
   if (!run->work->found) {
      begin_first_quads(p, run);
      run->work->found = find_special(p, run);
   }
   struct special *special = run->work->found;
   cf_jit_function function = special ? (cf_jit_function)cf_jit_job_function(&special->job) : NULL;
   if (function) {
      cf_quad_work_run(run, is_verified(p, run) ? verify_quads : function);
      return true;
   }
   if (special && atomic_load_explicit(&special->job.refused, memory_order_relaxed))
      atomic_store_explicit(&p->refused, true, memory_order_relaxed);
   if (run->work->tasks == 1 && (special || count_missed(p, run))) /* several tasks are retried one by one, and counted then */
      cf_jit_job_skip_run(&p->job);
   return false;
}

static struct cf_term_key
term_key(const struct cf_blend_term *term)
{
   const bool zero = term->mask == 0;
   return (struct cf_term_key){ .source = zero ? CF_BLEND_FROM_NONE : (uint8_t)term->source,
                                .inverse = !zero && term->offset != 0.0f,
                                .negative = !zero && term->sign };
}

static struct cf_blend_key
blend_key(const struct cf_blend_equation *equation)
{
   if (equation->func == CF_BLEND_FUNC_MIN || equation->func == CF_BLEND_FUNC_MAX)
      return (struct cf_blend_key){ .func = (uint8_t)equation->func };
   return (struct cf_blend_key){ .func = CF_BLEND_FUNC_ADD,
                                 .src = term_key(&equation->src),
                                 .dst = term_key(&equation->dst) };
}

/* Whether some channel bits of a pixel are not written. */
static bool
is_masked(const struct cf_pixel_target *target)
{
   bool masked = false;
   for (uint32_t w = 0; w < target->words; w++)
      masked = masked || (target->channel_bits[w] & ~target->write_bits[w]);
   return masked;
}

static struct cf_target_key
target_key(const struct cf_pixel_config *config, uint32_t index)
{
   const struct cf_pixel_target *target = &config->target[index];
   struct cf_target_key key = { .format = (uint8_t)config->color[index].format->code,
                                .blend = target->blend,
                                .logic = target->logic,
                                .masked = is_masked(target),
                                .alpha_to_one = target->alpha_to_one,
                                .color = (uint8_t)(config->program_color0_to_all ? 0 : 4 * index) };
   if (target->blend && target->dual_source && config->program_color_outputs & 2)
      key.src1 = 4;
   if (target->blend && target->present & 7)
      key.rgb = blend_key(&target->color);
   if (target->blend && target->present & 8)
      key.alpha = blend_key(&target->alpha);
   return key;
}

bool
cf_pixel_key_of(struct cf_pixel_key *key, const struct cf_pixel_config *config)
{
   _Static_assert(CF_FORMAT_COUNT <= UINT8_MAX + 1, "formats are bytes of keys");
   const bool several = config->samples > 1,
              depth_or_stencil = config->tests_needed && !config->early_tests;
   const bool late = depth_or_stencil || (several && config->alpha_to_coverage);
   bool ok = !depth_or_stencil || config->zs.blocks;
   *key = (struct cf_pixel_key){ .shape = CF_SHAPE_TRIANGLE, .alpha_func = CF_COMPARE_ALWAYS, .late_tests = late };
   key->samples = several ? (uint8_t)config->samples : 0;
   key->writes_depth = depth_or_stencil && config->program_writes_depth;
   if (late && !several && !config->stencil_test) {
      key->depth_format = (uint8_t)config->zs.format->code;
      key->depth_func =
         config->depth_test ? (uint8_t)config->depth_stencil.depth_func : CF_COMPARE_ALWAYS;
      key->depth_write = config->depth_write;
   }
   if (config->alpha_test && (!late || key->depth_format)) {
      key->alpha_func = (uint8_t)config->depth_stencil.alpha_func;
      key->alpha_clamp = config->alpha_clamp;
      key->alpha_to_one = config->alpha_to_one;
   }
   for (uint32_t i = 0; i < config->color_count && ok; i++) {
      if (!(config->color_writes >> i & 1))
         continue;
      key->target[i] = target_key(config, i);
      key->targets = (uint8_t)(i + 1);
      ok = config->color[i].blocks;
   }
   return ok;
}

/* ---- eviction ---- */

static void
destroy_special(struct special *special)
{
   if (special)
      cf_jit_job_end(&special->job);
   free(special);
}

/* Time since the last use, in misses; 0 for `recent`. */
static unsigned
age_of(const struct jit_program *p, const struct special *special)
{
   const unsigned now = atomic_load_explicit(&p->quads_missed, memory_order_relaxed);
   const bool recent = special == atomic_load_explicit(&p->recent, memory_order_relaxed);
   return recent ? 0 : now - atomic_load_explicit(&special->used, memory_order_relaxed);
}

/* Evict the least recently used code. No task may run. False: there is none. */
static bool
evict_oldest(struct jit_program *p)
{
   struct special *oldest = atomic_load_explicit(&p->quads, memory_order_relaxed), *before = NULL;
   for (struct special *s = oldest; s && s->next; s = s->next) {
      if (age_of(p, s->next) >= age_of(p, oldest)) { /* of equal age: the one created first */
         oldest = s->next;
         before = s;
      }
   }
   if (!oldest)
      return false;
   if (before)
      before->next = oldest->next;
   else
      atomic_store_explicit(&p->quads, oldest->next, memory_order_relaxed);
   if (oldest == atomic_load_explicit(&p->recent, memory_order_relaxed))
      atomic_store_explicit(&p->recent, NULL, memory_order_relaxed);
   destroy_special(oldest);
   atomic_fetch_sub_explicit(&p->quads_count, 1, memory_order_relaxed);
   return true;
}

bool
cf_jit_wants_eviction(const struct cf_jit *jit)
{
   return atomic_load_explicit(&jit->wants_eviction, memory_order_relaxed);
}

void
cf_jit_evict(struct cf_jit *jit)
{
   if (!cf_jit_wants_eviction(jit))
      return;
   pthread_mutex_lock(&jit->lock);
   struct jit_program *full = jit->full;
   jit->full = NULL;
   atomic_store_explicit(&jit->wants_eviction, false, memory_order_relaxed);
   for (struct jit_program *p = full; p; p = p->next_full)
      p->is_full = false;
   pthread_mutex_unlock(&jit->lock);
   for (; full; full = full->next_full) {
      while (atomic_load_explicit(&full->quads_count, memory_order_relaxed) >
                QUADS_AFTER_EVICTION &&
             evict_oldest(full))
         ;
   }
}

/* Remove a program that is destroyed from jit->full. */
static void
remove_from_full(struct jit_program *p)
{
   struct cf_jit *jit = p->job.jit;
   pthread_mutex_lock(&jit->lock);
   struct jit_program **link = &jit->full;
   while (*link && *link != p)
      link = &(*link)->next_full;
   if (*link)
      *link = p->next_full;
   pthread_mutex_unlock(&jit->lock);
}

/* ---- loops ---- */

/* A task with loops takes as long as several without. It counts once for each `count` instructions
 * that it went back, towards compiling what it lacks: the code from quads to pixels where the
 * program has some, else the program's own. A program of quads that has none yet is queued by its
 * tasks alone. */
static void
count_loops(struct cf_engine *engine, const struct cf_run *run)
{
   struct jit_program *p = (struct jit_program *)engine;
   const uint64_t times = run->looped / p->job.source.program->count;
   struct special *quads = atomic_load_explicit(&p->recent, memory_order_acquire);
   struct cf_jit_job *job = quads ? &quads->job : &p->job;
   const bool is_queued = !quads && atomic_load_explicit(&p->quads_missed, memory_order_relaxed);
   if (times && !is_queued && p->job.jit->config.policy == CF_JIT_AUTO)
      cf_jit_job_count(job, times < job->hot ? (unsigned)times : job->hot);
}

/* ---- attaching ---- */

static void
destroy_program(struct cf_engine *engine)
{
   struct jit_program *p = (struct jit_program *)engine;
   remove_from_full(p);
   destroy_special(atomic_load_explicit(&p->special, memory_order_relaxed));
   for (struct special *next, *s = atomic_load_explicit(&p->quads, memory_order_relaxed); s;
        s = next) {
      next = s->next;
      destroy_special(s);
   }
   cf_jit_job_end(&p->job);
   free(p);
}

static uint32_t
sampled_units(const struct cf_decoded *decoded)
{
   uint32_t units = 0;
   for (unsigned i = 0; i < decoded->count; i++) {
      if (decoded->instrs[i].op == CF_OP_TEX)
         units |= 1u << decoded->instrs[i].unit;
   }
   return units;
}

void
cf_jit_attach(struct cf_jit *jit, struct cf_decoded *decoded)
{
   struct jit_program *p = calloc(1, sizeof(*p));
   if (!p)
      return;
   p->engine = (struct cf_engine){
      .run = run_program, .run_quads = run_quads, .looped = count_loops, .destroy = destroy_program
   };
   p->units = sampled_units(decoded);
   decoded->engine = &p->engine;
   /* from here on the JIT thread may read it */
   cf_jit_job_begin(&p->job, jit, (struct cf_jit_source){ .program = decoded }, HOT_TASKS);
}

bool
cf_jit_has_refused(const struct cf_decoded *decoded)
{
   struct jit_program *p = (struct jit_program *)decoded->engine;
   return p && (atomic_load_explicit(&p->job.refused, memory_order_relaxed) ||
                atomic_load_explicit(&p->refused, memory_order_relaxed));
}

/* ---- the engine ---- */

bool
cf_jit_available(void)
{
   return CF_JIT_BUILT;
}

struct cf_jit *
cf_jit_create(const struct cf_jit_config *config)
{
   struct cf_jit *jit = cf_jit_available() ? calloc(1, sizeof(*jit)) : NULL;
   if (!jit)
      return NULL;
   jit->config = *config;
   jit->module_path = config->module ? strdup(config->module) : NULL;
   jit->cache_path = config->cache ? strdup(config->cache) : NULL;
   jit->last = &jit->first;
   jit->samplers = cf_jit_samplers_create();
   if (config->verify && !config->verify_report)
      cf_jit_verify_begin();
   cf_jit_guard_exit();
   pthread_mutex_init(&jit->lock, NULL);
   pthread_cond_init(&jit->wake, NULL);
   pthread_cond_init(&jit->done, NULL);
   if (config->policy == CF_JIT_ALWAYS && !cf_jit_has_compiler(jit)) {
      cf_jit_destroy(jit);
      return NULL;
   }
   if (config->warm_up != CF_WARM_UP_NONE)
      cf_jit_thread_warm_up(jit);
   return jit;
}

void
cf_jit_destroy(struct cf_jit *jit)
{
   if (!jit)
      return;
   cf_jit_thread_stop(jit);
   cf_jit_samplers_destroy(jit->samplers);
   /* the module stays loaded: LLVM does not support unloading */
   pthread_cond_destroy(&jit->done);
   pthread_cond_destroy(&jit->wake);
   pthread_mutex_destroy(&jit->lock);
   free(jit->module_path);
   free(jit->cache_path);
   free(jit);
}

/* Whether MESA_SHADER_CACHE_DISABLE is set, to one of Mesa's words for true. */
static bool
is_disabled(void)
{
   static const char *const yes[] = { "1", "y", "yes", "t", "true" };
   const char *value = getenv("MESA_SHADER_CACHE_DISABLE");
   for (unsigned i = 0; value && i < sizeof(yes) / sizeof(yes[0]); i++) {
      if (!strcasecmp(value, yes[i]))
         return true;
   }
   return false;
}

char *
cf_jit_cache_folder(void)
{
   /* the first is Mesa's own variable, whose path may be relative */
   static const char *const roots[][2] = { { "MESA_SHADER_CACHE_DIR", "/clipfree" },
                                           { "XDG_CACHE_HOME", "/clipfree" },
                                           { "HOME", "/.cache/clipfree" } };
   if (getauxval(AT_SECURE) || getuid() != geteuid() || getgid() != getegid() || is_disabled())
      return NULL;
   for (unsigned i = 0; i < 3; i++) {
      const char *root = getenv(roots[i][0]);
      if (!root || !root[0] || (i > 0 && root[0] != '/'))
         continue;
      const size_t size = strlen(root) + strlen(roots[i][1]) + 1;
      char *path = malloc(size);
      if (path)
         snprintf(path, size, "%s%s", root, roots[i][1]);
      return path;
   }
   return NULL;
}
