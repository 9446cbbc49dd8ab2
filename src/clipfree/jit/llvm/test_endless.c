/* SPDX-License-Identifier: MIT */
/*
 * Compilations that do not come to an end are left: who waits for one goes on with the interpreter,
 * other programs are compiled, and programs and engines go away. The compiler is one of the test's
 * whose compilations end when the test says so.
 */
#include "clipfree/jit/llvm/test_canvas.h"

#include <stdatomic.h>
#include <time.h>

#include "clipfree/base/cf_host.h"
#include "clipfree/jit/cf_jit_job.h"

#define HOT 16000 /* tasks, as in cf_jit.c */
#define LIMIT_NS 30000000u
#define MOST_LEFT 5 /* in a process, as in cf_jit_compile.c */

static const struct cf_jit_compiler *right_compiler;
static atomic_int endless;  /* compilations that are to begin and not to end, from the next one */
static atomic_bool may_end; /* those that did not */
static atomic_int waiting, ended;
static _Atomic(atomic_int *) stuck; /* phase of the last of them */
static int left;                    /* by all tests so far */

static void
sleep_ns(long time_ns)
{
   nanosleep(&(struct timespec){ .tv_nsec = time_ns }, NULL);
}

static bool
compile(const struct cf_jit_source *source, enum cf_host_level level, struct cf_jit_bytes *object,
        char *error, size_t error_size, atomic_int *phase)
{
   if (atomic_load(&endless) == 0)
      return right_compiler->compile(source, level, object, error, error_size, phase);
   atomic_fetch_sub(&endless, 1);
   atomic_store(&stuck, phase);
   atomic_store(phase, CF_JIT_WORKS);
   atomic_fetch_add(&waiting, 1);
   while (!atomic_load(&may_end)) /* as LLVM would, with a processor */
      cf_spin_pause();
   atomic_fetch_sub(&waiting, 1);
   atomic_fetch_add(&ended, 1);
   return false;
}

/* Others may take their time on a busy machine. */
static bool
leave(atomic_int *phase)
{
   int before = CF_JIT_WORKS;
   return phase == atomic_load(&stuck) &&
          atomic_compare_exchange_strong(phase, &before, CF_JIT_LEFT);
}

/* Reads the source for much longer than the limit. */
static bool
compile_slowly(const struct cf_jit_source *source, enum cf_host_level level,
               struct cf_jit_bytes *object, char *error, size_t error_size, atomic_int *phase)
{
   atomic_store(phase, CF_JIT_READS);
   sleep_ns(10l * LIMIT_NS);
   return right_compiler->compile(source, level, object, error, error_size, phase);
}

static struct cf_jit *
create(enum cf_jit_policy policy, const struct cf_jit_compiler *compiler)
{
   struct cf_jit_config config = config_of(policy);
   config.limit_ns = LIMIT_NS;
   struct cf_jit *jit = cf_jit_create(&config);
   assert_non_null(jit);
   assert_true(cf_jit_has_compiler(jit));
   right_compiler = jit->compiler;
   jit->compiler = compiler;
   return jit;
}

/* The test's compilers: some compilations end when the test says so; sources are read slowly. */
static const struct cf_jit_compiler ends_when_told = { .compile = compile, .leave = leave },
                                    reads_slowly = { .compile = compile_slowly, .leave = leave };

static void
attach(struct fixture *f, struct cf_jit *jit)
{
   fixture_init(f);
   assert_true(fixture_load(f, text));
   cf_jit_attach(jit, (struct cf_decoded *)f->stage.program);
}

static void
destroy(struct cf_jit *jit, struct fixture *first, struct fixture *second)
{
   fixture_end(first);
   if (second)
      fixture_end(second);
   cf_jit_destroy(jit);
}

static void
assert_counts(struct cf_jit *jit, unsigned compiled, unsigned failed)
{
   const struct cf_jit_counts counts = cf_jit_finish(jit);
   assert_int_equal(counts.compiled, compiled);
   assert_int_equal(counts.failed, failed);
}

/* What was left ends after all. Its threads touch nothing that the sanitizers know to be freed. */
static void
let_end(int count)
{
   left += count;
   assert_int_equal(atomic_load(&waiting), count);
   atomic_store(&may_end, true);
   while (atomic_load(&ended) < left)
      sleep_ns(1000000);
   sleep_ns(20000000);
   atomic_store(&may_end, false);
}

static void
test_who_waits_goes_on(void **state)
{
   (void)state;
   struct cf_jit *jit = create(CF_JIT_ALWAYS, &ends_when_told);
   struct fixture first, second;
   attach(&first, jit);
   atomic_store(&endless, 1);
   run_tasks(&first, 3);
   assert_counts(jit, 0, 1);
   assert_true(cf_jit_has_refused(first.stage.program));
   attach(&second, jit);
   run_tasks(&second, 3);
   assert_counts(jit, 1, 1);
   assert_false(cf_jit_has_refused(second.stage.program));
   destroy(jit, &first, &second);
   let_end(1);
}

static bool
waits_alone(struct cf_jit *jit)
{
   pthread_mutex_lock(&jit->lock);
   const bool alone = jit->first && !jit->first->next;
   pthread_mutex_unlock(&jit->lock);
   return alone;
}

/* Nobody waits for code: who runs the program sees it, and what was queued is compiled. The second
 * program is nearly hot before, so that no task of the first one runs while it is queued. */
static void
test_who_draws_sees_it(void **state)
{
   (void)state;
   struct cf_jit *jit = create(CF_JIT_AUTO, &ends_when_told);
   struct fixture first, second;
   attach(&first, jit);
   attach(&second, jit);
   cf_jit_finish(jit); /* not in the cache */
   atomic_store(&endless, 1);
   run_tasks(&second, HOT - 1);
   run_tasks(&first, HOT);
   while (!atomic_load(&waiting))
      sleep_ns(1000000);
   run_tasks(&second, 1);
   sleep_ns(2l * LIMIT_NS);
   assert_true(waits_alone(jit));
   while (!cf_jit_has_refused(first.stage.program))
      run_tasks(&first, HOT);
   assert_counts(jit, 1, 1);
   destroy(jit, &first, &second);
   let_end(1);
}

static void
test_all_goes_away(void **state)
{
   (void)state;
   struct cf_jit *jit = create(CF_JIT_AUTO, &ends_when_told);
   struct fixture f;
   attach(&f, jit);
   cf_jit_finish(jit);
   atomic_store(&endless, 1);
   run_tasks(&f, HOT);
   while (!atomic_load(&waiting))
      sleep_ns(1000000);
   destroy(jit, &f, NULL);
   let_end(1);
}

/* A sandbox that was entered may have no room for another thread. */
static void
test_no_thread_in_a_sandbox(void **state)
{
   (void)state;
   struct cf_jit_config config = config_of(CF_JIT_ALWAYS);
   config.limit_ns = LIMIT_NS;
   config.warm_up = CF_WARM_UP_ALL; /* by a compilation */
   struct cf_jit *jit = cf_jit_create(&config);
   struct fixture first, second;
   assert_non_null(jit);
   right_compiler = jit->compiler;
   jit->compiler = &ends_when_told;
   attach(&first, jit);
   atomic_store(&endless, 1);
   run_tasks(&first, 3);
   assert_counts(jit, 1, 1);
   attach(&second, jit);
   run_tasks(&second, 3);
   assert_counts(jit, 1, 1);
   assert_true(cf_jit_has_refused(second.stage.program));
   assert_null(jit->worker);
   destroy(jit, &first, &second);
   let_end(1);
}

/* A source that is still read is waited for. */
static void
test_not_while_it_reads(void **state)
{
   (void)state;
   struct cf_jit *jit = create(CF_JIT_ALWAYS, &reads_slowly);
   struct fixture f;
   attach(&f, jit);
   run_tasks(&f, 3);
   assert_counts(jit, 1, 0);
   destroy(jit, &f, NULL);
}

static void *
leave_soon(void *data)
{
   atomic_int *phase = data;
   while (!right_compiler->leave(phase) && atomic_load(phase) != CF_JIT_ENDED)
      cf_spin_pause();
   return NULL;
}

/* LLVM's own compilation, left at any moment: it has a result, or was left. */
static void
test_llvm_is_left(void **state)
{
   (void)state;
   struct fixture f;
   unsigned were_left = 0;
   fixture_init(&f);
   assert_true(fixture_load(&f, text));
   const struct cf_jit_source source = { .program = f.stage.program };
   for (unsigned n = 0; n < 20; n++) {
      atomic_int phase = CF_JIT_READS;
      struct cf_jit_bytes object = { NULL, 0 };
      pthread_t thread;
      assert_int_equal(pthread_create(&thread, NULL, leave_soon, &phase), 0);
      const bool compiled = right_compiler->compile(&source, cf_host_level(), &object, f.error,
                                                    sizeof(f.error), &phase);
      pthread_join(thread, NULL);
      assert_int_equal(compiled, atomic_load(&phase) == CF_JIT_ENDED);
      were_left += !compiled;
      if (compiled)
         free(object.data);
   }
   assert_in_range(were_left, 1, 20);
   fixture_end(&f);
}

/* The last test: from now on the process compiles nothing. */
static void
test_not_too_often(void **state)
{
   (void)state;
   struct cf_jit *jit = create(CF_JIT_ALWAYS, &ends_when_told);
   struct fixture f;
   const int more = MOST_LEFT - left;
   for (int n = 0; n <= more; n++) {
      attach(&f, jit);
      atomic_store(&endless, n < more);
      run_tasks(&f, 3);
      assert_counts(jit, 0, (unsigned)n + 1);
      fixture_end(&f);
   }
   cf_jit_destroy(jit);
   let_end(more);
}

int
main(int argc, char **argv)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_who_waits_goes_on),  cmocka_unit_test(test_who_draws_sees_it),
      cmocka_unit_test(test_all_goes_away),      cmocka_unit_test(test_no_thread_in_a_sandbox),
      cmocka_unit_test(test_not_while_it_reads), cmocka_unit_test(test_llvm_is_left),
      cmocka_unit_test(test_not_too_often),
   };
   module = argv[1];
   return argc == 2 ? cmocka_run_group_tests(tests, NULL, NULL) : 2;
}
