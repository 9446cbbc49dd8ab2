/* SPDX-License-Identifier: MIT */
/*
 * Coverage of GLSL on a host that fails - its memory, its files -, each request alone and with all
 * after it: the file has no count that is not right, or there is none, and a message says so; no
 * half file is left, and all is freed. And draws beyond those that are counted.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clipfree/base/test_failing_host.h"
#include "clipfree/command/test_gpu.h"
#include "clipfree/command/test_watcher.h"
#include "clipfree/coverage/cf_coverage.h"
#include "clipfree/interface/cf_note.h"
#include "clipfree/isa/cf_isa.h"

#define FOLDER "clipfree-test-coverage-faults"
#define SIZE_PX 16
#define TEXT_B 8192
#define MOST_RUNS 1000

/* ------------------------------------------------------------------ files that fail, too */

#define WRAP(type, name, parameters, arguments, failed)                                            \
   type __real_##name parameters;                                                                  \
   type __wrap_##name parameters;                                                                  \
   type __wrap_##name parameters                                                                   \
   {                                                                                               \
      return test_host_grants() ? __real_##name arguments : failed;                                \
   }

WRAP(FILE *, fdopen, (int file, const char *mode), (file, mode), NULL)
WRAP(size_t, fwrite, (const void *data, size_t size_B, size_t count, FILE *file),
     (data, size_B, count, file), 0)
WRAP(int, rename, (const char *from, const char *to), (from, to), -1)

int __wrap_asprintf(char **text, const char *format, ...);
char *__real_realpath(const char *path, char *to);
char *__wrap_realpath(const char *path, char *to);
FILE *__real_open_memstream(char **text, size_t *size_B);
FILE *__wrap_open_memstream(char **text, size_t *size_B);
int __real_fclose(FILE *file);
int __wrap_fclose(FILE *file);

int
__wrap_asprintf(char **text, const char *format, ...)
{
   va_list arguments;
   if (!test_host_grants())
      return -1;
   va_start(arguments, format);
   const int length = vasprintf(text, format, arguments);
   va_end(arguments);
   test_host.live++;
   return length;
}

char *
__wrap_realpath(const char *path, char *to)
{
   char *real = test_host_grants() ? __real_realpath(path, to) : NULL;
   test_host.live += real != NULL;
   return real;
}

/* Its text is freed by who opened it. */
FILE *
__wrap_open_memstream(char **text, size_t *size_B)
{
   FILE *file = test_host_grants() ? __real_open_memstream(text, size_B) : NULL;
   test_host.live += file != NULL;
   return file;
}

/* It is closed in any case. */
int
__wrap_fclose(FILE *file)
{
   const bool ok = test_host_grants();
   const int error = errno, closed = __real_fclose(file);
   errno = ok ? errno : error;
   return ok ? closed : EOF;
}

/* ------------------------------------------------------------------ a program */

static const char source[] = "#version 100\n2\n3\n4\n";
static const char fragment_text[] = "sys v4, frag_x\nflt v6, v4, 8.0\nif v6, e\nmov v0, 1.0\n"
                                    "e: endif\nout 0, v0\nout 1, v0\nout 2, v0\nout 3, v0\nend\n";
static const struct cf_note_line lines[] = {
   { 0, 0, 0, 2, 2 }, { 1, 0, 0, 3, 3 }, { 2, 0, 0, 3, 3 }, { 3, 0, 0, 4, 4 }
};
static const char right[] = "BRDA:3,0,0,256\nBRDA:3,0,1,256\nBRF:2\nBRH:2\n"
                            "DA:2,512\nDA:3,512\nDA:4,256\nLF:3\nLH:3\nend_of_record\n";

static void
add_note(struct test_gpu *t, uint64_t program)
{
   struct cf_note note = { 0 };
   cf_note_add_text(&note, CF_NOTE_SOURCE, source, strlen(source));
   cf_note_add_lines(&note, lines, sizeof(lines) / sizeof(lines[0]));
   t->gpu->ops->note(t->gpu, program, note.data, note.size_B);
   cf_note_free(&note);
}

static void
draw(struct test_gpu *t, const struct test_surface *color, uint64_t program)
{
   static const float position[4][4] = {
      { -1, -1, 0, 1 }, { 1, -1, 0, 1 }, { -1, 1, 0, 1 }, { 1, 1, 0, 1 }
   };
   uint32_t dw[CF_VERTEX_ELEMENT_DWORDS];
   test_emit_frame(t, color, NULL);
   test_emit_positions(t);
   EMIT(t, shader, .stage = CF_SHADER_STAGE_FRAGMENT, .program = program);
   EMIT(t, varyings, .count = 0);
   cf_vertex_element_pack(
      dw, &(struct cf_vertex_element){ .address = test_put(t, position, sizeof(position)),
                                       .size_B = sizeof(position),
                                       .stride_B = sizeof(position[0]),
                                       .format = CF_FORMAT_R32G32B32A32_FLOAT });
   EMIT(t, vertex_elements, .count = 1, .address = test_put(t, dw, sizeof(dw)));
   EMIT(t, draw, .prim = CF_PRIM_KIND_TRIANGLE_STRIP, .count = 4, .instances = 1);
   test_submit(t);
}

static void
run_program(const struct cf_observer *observer)
{
   struct test_gpu t;
   struct test_surface color;
   test_gpu_open_on(&t,
                    test_model_of((struct cf_model_config){
                       .path = CF_PATH_PLAIN, .engine = CF_ENGINE_INTERP, .observer = observer }));
   test_surface_create(&t, &color, CF_FORMAT_R8G8B8A8_UNORM, SIZE_PX, SIZE_PX, true);
   const uint64_t program = test_program(&t, fragment_text,
                                         (struct cf_program){ .stage = CF_SHADER_STAGE_FRAGMENT,
                                                              .vector_regs = 7,
                                                              .outputs = 4,
                                                              .color_outputs = 1,
                                                              .sysvals = 1u << CF_SYSVAL_FRAG_X });
   add_note(&t, program);
   for (int i = 0; i < 2; i++)
      draw(&t, &color, program);
   test_no_error(&t);
   test_surface_free(&t, &color);
   test_gpu_close(&t);
}

/* ------------------------------------------------------------------ what is left */

struct left {
   uint32_t infos, sources, others; /* files */
   char info[TEXT_B], said[TEXT_B];
};

static void
read_text(const char *path, char text[TEXT_B])
{
   FILE *file = fopen(path, "r");
   assert_non_null(file);
   text[fread(text, 1, TEXT_B - 1, file)] = 0;
   fclose(file);
}

/* What is in the folder, which is removed. */
static void
take_folder(struct left *left)
{
   DIR *folder = opendir(FOLDER);
   for (struct dirent *entry; folder && (entry = readdir(folder));) {
      char path[400], text[TEXT_B];
      if (entry->d_name[0] == '.')
         continue;
      snprintf(path, sizeof(path), FOLDER "/%s", entry->d_name);
      const char *suffix = strrchr(path, '.');
      if (!strcmp(suffix, ".info")) {
         left->infos++;
         read_text(path, left->info);
      } else if (!strcmp(suffix, ".frag")) {
         left->sources++;
         read_text(path, text);
         assert_string_equal(text, source);
      } else {
         left->others++;
      }
      unlink(path);
   }
   if (folder)
      closedir(folder);
   rmdir(FOLDER);
}

/* Run the program while a request fails, and listen. Returns how many did. */
static unsigned
run(unsigned fail_at, bool all, bool *opened, struct left *left)
{
   FILE *heard = tmpfile();
   const int stderr_fd = dup(STDERR_FILENO);
   memset(left, 0, sizeof(*left));
   dup2(fileno(heard), STDERR_FILENO);
   test_host.paused = false;
   test_host_arm(fail_at, all);
   struct cf_coverage *coverage = cf_coverage_open(FOLDER);
   *opened = coverage != NULL;
   if (coverage) {
      const struct cf_observer observer = test_watcher_between(cf_coverage_observer(coverage));
      run_program(&observer);
      test_host.paused = false;
      cf_coverage_close(coverage);
   }
   test_host.paused = true;
   const unsigned failed = test_host_disarm();
   dup2(stderr_fd, STDERR_FILENO);
   close(stderr_fd);
   rewind(heard);
   left->said[fread(left->said, 1, TEXT_B - 1, heard)] = 0;
   fclose(heard);
   take_folder(left);
   return failed;
}

static void
check(const struct left *left)
{
   assert_int_equal(left->others, 0);
   assert_true(left->infos + (left->said[0] != 0) <= 1);
   if (left->infos) {
      assert_int_equal(left->sources, 1);
      if (!strstr(left->info, right))
         fail_msg("%s", left->info);
   }
   if (left->said[0]) {
      assert_non_null(strstr(left->said, "clipfree: coverage /"));
      assert_non_null(strstr(left->said, "; there is none of this run\n"));
      assert_null(strstr(left->said, "Success"));
   }
}

static void
a_host_that_fails(void **state)
{
   (void)state;
   static struct left left;
   bool opened;
   assert_int_equal(run(0, false, &opened, &left), 0);
   assert_true(opened && left.infos == 1 && !left.said[0]);
   check(&left);
   const long before = test_host.live;
   for (int all = 0; all < 2; all++) {
      unsigned runs = 0, missing = 0, failed;
      do {
         failed = run(++runs, all, &opened, &left);
         missing += left.infos == 0;
         check(&left);
         assert_int_equal(test_host.live, before);
      } while (failed && runs < MOST_RUNS);
      assert_true(runs < MOST_RUNS && missing > 15);
   }
}

/* Draws are told from each other up to a number; those after it are left out. */
static void
many_draws(void **state)
{
   (void)state;
   struct cf_coverage *coverage = cf_coverage_open(FOLDER);
   static struct left left;
   assert_non_null(coverage);
   const struct cf_observer *observer = cf_coverage_observer(coverage);
   const uint32_t dw[CF_DRAW_DWORDS] = { CF_OPCODE_DRAW };
   struct cf_packet_event event = { .dw = dw, .dwords = CF_DRAW_DWORDS };
   observer->submission_begin(observer->user, &(struct cf_submission_event){ 0 });
   for (uint32_t i = 0; i < (1 << 20) + 10; i++) {
      event.address = 0x1000 + 4 * i;
      observer->packet(observer->user, &event);
   }
   cf_coverage_close(coverage);
   take_folder(&left);
   assert_int_equal(left.infos + left.sources + left.others, 0);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_host_that_fails),
      cmocka_unit_test(many_draws),
   };
   test_host.paused = true;
   return cmocka_run_group_tests(tests, NULL, NULL);
}
