/* SPDX-License-Identifier: MIT
 *
 * What single features of OpenGL 2.1 cost (tools/bench/features/): each case draws 512x512 pixels, or moves as many, or makes some
 * thousand calls. Prints for each the processor time of the whole process in milliseconds a draw, each draw submitted alone, least of the
 * rounds; "cannot" and what is missing where the driver does not have it; "fails" and an error of OpenGL where there was one, and then
 * the exit status is 1. No window; the driver is what LD_LIBRARY_PATH and the environment say. Patterns are the shell's, of whole names.
 *
 * Limitations: clipfree keeps at most 64 compiled ways from quads to pixels for a program (docs/jit.md), which all cases together exceed; then
 * some are compiled again. So ./clipfree bench runs a process for each group, the part of a name before its colon.
 *
 *    feature_cost [rounds [pattern...]]
 *    feature_cost --list
 */
#include "cost.h"
#include "features/features.h"

#include <fnmatch.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A round is of MIN_DRAWS, or twice, four times ... as many until it takes ROUND_MS; after MIN_ROUNDS, a case that took
 * ENOUGH_MS gets no further one. */
enum { WARM_UP_DRAWS = 2, MIN_DRAWS = 4, MAX_DRAWS = 64, ROUND_MS = 2, MIN_ROUNDS = 2, ENOUGH_MS = 100, MAX_ROUNDS = 99 };
enum { VALUES = FEATURE_PX * FEATURE_PX * 4 };

static const struct feature_list *const lists[] = {
   &features_of_pixels,  &features_of_targets, &features_of_primitives, &features_of_samples,
   &features_of_shaders, &features_of_transfers, &features_of_calls,
};

/* The case at a place in all lists, one after another; NULL after the last. */
static const struct feature *
feature_at(size_t place)
{
   for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
      if (place < lists[i]->count)
         return &lists[i]->features[place];
      place -= lists[i]->count;
   }
   return NULL;
}

struct images {
   float floats[VALUES]; /* from 0 to 1 */
   uint16_t halves[VALUES]; /* the same */
   uint32_t words[VALUES];
};

static void
fill_images(struct images *images)
{
   uint32_t state = 1;
   for (uint32_t i = 0; i < VALUES; i++) {
      state = state * 1664525u + 1013904223u;
      images->floats[i] = (float)(state >> 8) / (1 << 24);
      images->halves[i] = (uint16_t)((state >> 8) % 0x3c01); /* 0x3c00 is 1 */
      images->words[i] = state ^ state >> 15;
   }
}

static const void *
image_of(const struct images *images, GLenum type)
{
   if (type == GL_FLOAT)
      return images->floats;
   return type == GL_HALF_FLOAT ? (const void *)images->halves : images->words;
}

/* A frame buffer with a texture of RGBA8, depth and stencil. */
static GLuint
make_target(void)
{
   GLuint framebuffer, texture, depth;
   glGenFramebuffers(1, &framebuffer);
   glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
   glGenTextures(1, &texture);
   glBindTexture(GL_TEXTURE_2D, texture);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, FEATURE_PX, FEATURE_PX, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
   glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
   glGenRenderbuffers(1, &depth);
   glBindRenderbuffer(GL_RENDERBUFFER, depth);
   glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH24_STENCIL8, FEATURE_PX, FEATURE_PX);
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_STENCIL_ATTACHMENT, GL_RENDERBUFFER, depth);
   glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
   return framebuffer;
}

/* A context and its scene. */
static struct scene
make_scene(const struct images *images, GLenum type)
{
   cost_context(COST_DESKTOP);
   const GLuint other = make_target(), target = make_target();
   glBindTexture(GL_TEXTURE_2D, 0);
   glViewport(0, 0, FEATURE_PX, FEATURE_PX);
   return (struct scene){ .target = target, .other = other, .image = image_of(images, type) };
}

/* Names of extensions are words. */
static bool
has_extension(const char *name)
{
   const char *at = (const char *)glGetString(GL_EXTENSIONS);
   const size_t length = strlen(name);
   for (; (at = strstr(at, name)); at += length) {
      if (at[length] == ' ' || at[length] == '\0')
         return true;
   }
   return false;
}

/* Makes ready what is drawn. Returns NULL, or what the driver does not have. */
static const char *
set_up(const struct feature *feature, const struct scene *scene)
{
   if (feature->needs && !has_extension(feature->needs))
      return feature->needs;
   for (size_t i = 0; i < sizeof feature->enable / sizeof feature->enable[0]; i++) {
      if (feature->enable[i])
         glEnable(feature->enable[i]);
   }
   return feature->set_up ? feature->set_up(feature, scene) : NULL;
}

/* Processor time of so many draws, submitted one by one and finished together. */
static double
draw_ms(const struct feature *feature, const struct scene *scene, int draws)
{
   const uint64_t begin_ns = cost_ns(CLOCK_PROCESS_CPUTIME_ID);
   for (int i = 0; i < draws; i++) {
      (feature->draw ? feature->draw : draw_quad)(feature, scene);
      glFlush();
   }
   glFinish();
   return (double)(cost_ns(CLOCK_PROCESS_CPUTIME_ID) - begin_ns) * 1e-6;
}

/* Milliseconds a draw. */
static double
measure(const struct feature *feature, const struct scene *scene, int rounds)
{
   int draws = MIN_DRAWS;
   draw_ms(feature, scene, WARM_UP_DRAWS);
   double round_ms = draw_ms(feature, scene, draws), all_ms = round_ms, least_ms = round_ms / draws;
   while (round_ms < ROUND_MS && draws < MAX_DRAWS) {
      draws *= 2;
      round_ms = draw_ms(feature, scene, draws);
      all_ms += round_ms;
      least_ms = round_ms / draws;
   }
   for (int round = 1; round < rounds && (round < MIN_ROUNDS || all_ms < ENOUGH_MS); round++) {
      round_ms = draw_ms(feature, scene, draws);
      all_ms += round_ms;
      if (round_ms / draws < least_ms)
         least_ms = round_ms / draws;
   }
   return least_ms;
}

/* Prints the line of a case. Returns whether there was no error. */
static bool
run(const struct feature *feature, const struct images *images, int rounds)
{
   const struct scene scene = make_scene(images, feature->image.type);
   const char *missing = set_up(feature, &scene);
   GLenum error = glGetError();
   const char *when = "is set up";
   double ms = 0;
   if (!missing && !error) {
      ms = measure(feature, &scene, rounds);
      error = glGetError();
      when = "is drawn";
   }
   if (error)
      printf("%-44s fails: error 0x%04x where it %s\n", feature->name, error, when);
   else if (missing)
      printf("%-44s cannot: %s\n", feature->name, missing);
   else
      printf("%-44s %10.4f\n", feature->name, ms);
   fflush(stdout); /* so that it is seen where a process was when it ended */
   return !error;
}

/* Whether one of the patterns, the arguments from the third on, is that of the name; without one, always. */
static bool
is_chosen(const struct feature *feature, int argc, char **argv)
{
   for (int i = 2; i < argc; i++) {
      if (fnmatch(argv[i], feature->name, 0) == 0)
         return true;
   }
   return argc <= 2;
}

/* Every pattern is that of a name, or the process ends. */
static void
check_patterns(int argc, char **argv)
{
   for (int i = 2; i < argc; i++) {
      size_t place = 0;
      while (feature_at(place) && fnmatch(argv[i], feature_at(place)->name, 0) != 0)
         place++;
      if (!feature_at(place)) {
         fprintf(stderr, "feature_cost: no case is called %s; feature_cost --list prints all\n", argv[i]);
         exit(2);
      }
   }
}

static int
print_names(void)
{
   for (size_t place = 0; feature_at(place); place++)
      puts(feature_at(place)->name);
   return 0;
}

int
main(int argc, char **argv)
{
   static struct images images;
   if (argc == 2 && strcmp(argv[1], "--list") == 0)
      return print_names();
   const int rounds = cost_repeats(argc, argv, 7, MAX_ROUNDS);
   bool good = true;
   check_patterns(argc, argv);
   fill_images(&images);
   cost_context(COST_DESKTOP);
   printf("%s\n%-44s %10s\n", (const char *)glGetString(GL_RENDERER), "processor time of", "ms a draw");
   for (size_t place = 0; feature_at(place); place++) {
      if (is_chosen(feature_at(place), argc, argv))
         good &= run(feature_at(place), &images, rounds);
   }
   return good ? 0 : 1;
}
