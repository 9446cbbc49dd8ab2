/* SPDX-License-Identifier: MIT */
#include "rules.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

const GLenum rules_min_filters[6] = { GL_NEAREST,
                                      GL_LINEAR,
                                      GL_NEAREST_MIPMAP_NEAREST,
                                      GL_LINEAR_MIPMAP_NEAREST,
                                      GL_NEAREST_MIPMAP_LINEAR,
                                      GL_LINEAR_MIPMAP_LINEAR };

/* ---------------------------------------------------------------------------------------- cases */

/* Seed and case to a state whose neighbours have nothing in common. */
static uint64_t
mix(uint64_t seed, uint64_t n)
{
   uint64_t x = seed * UINT64_C(0x9e3779b97f4a7c15) + n;
   for (int i = 0; i < 3; i++)
      x = (x ^ x >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
   return x ^ x >> 32;
}

bool
rules_next(struct rules *r)
{
   no_error("at the end of a case");
   r->n++;
   r->random = mix(r->seed, (uint64_t)r->n);
   return r->n < r->end;
}

void
rules_fail(const struct rules *r, const char *format, ...)
{
   va_list list;
   va_start(list, format);
   vprintf(format, list);
   va_end(list);
   printf("\nrepeat it with: %s --seed %" PRIu64 " --case %d\n", r->name, r->seed, r->n);
   exit(1);
}

void
rules_skip(const char *why)
{
   printf("%s\n", why);
   exit(EXIT_SKIP);
}

uint32_t
rules_below(struct rules *r, uint32_t limit)
{
   return random_below(&r->random, limit);
}

int
rules_between(struct rules *r, int low, int high)
{
   return low + (int)random_below(&r->random, (uint32_t)(high - low) + 1);
}

float
rules_float(struct rules *r, float low, float high)
{
   return low + (high - low) * ((float)random_below(&r->random, 1 << 24) / (float)((1 << 24) - 1));
}

bool
rules_chance(struct rules *r, uint32_t percent)
{
   return random_below(&r->random, 100) < percent;
}

/* ----------------------------------------------------------------------------------- read-backs */

void
rules_hash(struct rules *r, const void *data, size_t size_B)
{
   const uint8_t *bytes = data;
   for (size_t i = 0; i < size_B; i++)
      r->hash = (r->hash ^ bytes[i]) * UINT64_C(0x100000001b3);
   if (r->pixels && fwrite(data, 1, size_B, r->pixels) != size_B)
      rules_fail(r, "the file of pixels cannot be written");
}

static void *
read_pixels(struct rules *r, int width_px, int height_px, GLenum type, size_t component_B)
{
   const size_t size_B = (size_t)width_px * height_px * 4 * component_B;
   void *pixels = malloc(size_B);
   glReadPixels(0, 0, width_px, height_px, GL_RGBA, type, pixels);
   no_error("reading pixels");
   rules_hash(r, pixels, size_B);
   return pixels;
}

uint8_t *
rules_read(struct rules *r, int width_px, int height_px)
{
   return read_pixels(r, width_px, height_px, GL_UNSIGNED_BYTE, 1);
}

float *
rules_read_float(struct rules *r, int width_px, int height_px)
{
   return read_pixels(r, width_px, height_px, GL_FLOAT, sizeof(float));
}

void
rules_expect(const struct rules *r, int width_px, int height_px, const uint8_t *have,
             const uint8_t *expected, const int lsb[4], const char *what)
{
   int wrong = 0, first = -1;
   for (int i = 0; i < width_px * height_px; i++) {
      bool same = true;
      for (int c = 0; c < 4; c++)
         same = same && abs(have[4 * i + c] - expected[4 * i + c]) <= lsb[c];
      wrong += !same;
      if (!same && first < 0)
         first = i;
   }
   if (!wrong)
      return;
   const uint8_t *h = have + 4 * first, *e = expected + 4 * first;
   rules_fail(
      r, "%s: %d of %d pixels are wrong, the first of them (%d, %d): %d %d %d %d, not %d %d %d %d",
      what, wrong, width_px * height_px, first % width_px, first / width_px, h[0], h[1], h[2], h[3],
      e[0], e[1], e[2], e[3]);
}

/* ----------------------------------------------------------------------------------------- main */

static const struct rule *
find(const struct rule *rules, size_t count, const char *name)
{
   for (size_t i = 0; i < count; i++) {
      if (!strcmp(rules[i].name, name))
         return &rules[i];
   }
   return NULL;
}

static int
usage(void)
{
   printf("usage: --list | NAME [--seed S] [--case N | --eighth N] [--times K] [--pixels FILE]\n");
   return 2;
}

/* Takes the options behind the rule's name. False: one is not known. */
static bool
read_options(struct rules *r, const struct rule *rule, int argc, char **argv)
{
   for (int i = 2; i < argc; i += 2) {
      const uint64_t value = strtoull(argv[i + 1], NULL, 0);
      if (!strcmp(argv[i], "--seed"))
         r->seed = value;
      else if (!strcmp(argv[i], "--times"))
         r->end = rule->cases * (int)value;
      else if (!strcmp(argv[i], "--case"))
         r->n = (int)value - 1, r->end = (int)value + 1;
      else if (!strcmp(argv[i], "--eighth") && value < 8)
         r->n = rule->cases * (int)value / 8 - 1, r->end = rule->cases * ((int)value + 1) / 8;
      else if (strcmp(argv[i], "--pixels") != 0)
         return false;
      else if (!(r->pixels = fopen(argv[i + 1], "wb")))
         die("%s cannot be written", argv[i + 1]);
   }
   return true;
}

static void
create_context(enum rule_api api)
{
   EGLDisplay display = display_open();
   if (api == RULE_DESKTOP)
      context_create_desktop(display, EGL_NO_CONTEXT);
   else if (api == RULE_ES3)
      context_create_es3(display, EGL_NO_CONTEXT);
   else if (api == RULE_GL31 || api == RULE_GL33)
      context_create_gl3(display, EGL_NO_CONTEXT, api == RULE_GL31 ? 1 : 3);
   else if (api == RULE_ES2_SAMPLES)
      context_create_samples(display, EGL_NO_CONTEXT);
   else
      context_create(display, EGL_NO_CONTEXT);
}

int
rules_main(int argc, char **argv, const struct rule *rules, size_t count)
{
   if (argc == 2 && !strcmp(argv[1], "--list")) {
      for (size_t i = 0; i < count; i++)
         printf("%s\n", rules[i].name);
      return 0;
   }
   const struct rule *rule = argc >= 2 ? find(rules, count, argv[1]) : NULL;
   if (!rule || argc % 2)
      return usage();
   struct rules r = { .name = rule->name,
                      .seed = 1,
                      .n = -1,
                      .end = rule->cases,
                      .hash = UINT64_C(0xcbf29ce484222325) };
   if (!read_options(&r, rule, argc, argv))
      return usage();
   create_context(rule->api);
   const int begin = r.n + 1;
   rule->run(&r);
   if (r.pixels && fclose(r.pixels))
      die("the file of pixels cannot be written");
   printf("seed %" PRIu64 ", cases %d to %d, hash %016" PRIx64 "\n", r.seed, begin, r.end - 1,
          r.hash);
   return 0;
}
