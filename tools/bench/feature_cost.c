/* SPDX-License-Identifier: MIT
 *
 * The cost of single features of OpenGL 2.1, OpenGL ES 3.0 and OpenGL 3.3 (tools/bench/features/):
 * each case draws or transfers 512x512 pixels, or makes some thousand calls. Prints for each the
 * processor time of the process in milliseconds per draw, each draw submitted alone, least of the
 * rounds; or "cannot" and the missing feature; or "fails" and the OpenGL error, with exit status 1.
 * No window; LD_LIBRARY_PATH and the environment select the driver. Patterns are shell patterns of
 * whole names.
 *
 * Limitation: clipfree keeps at most 64 specialisations of a program from quads to pixels
 * (docs/jit.md), fewer than all cases together need; then some are compiled again. So ./clipfree
 * bench runs a process for each group, the part of a name before its colon.
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

/* A round has MIN_DRAWS draws, doubled until it takes ROUND_MS. After MIN_ROUNDS a case that took
 * ENOUGH_MS gets no further round. */
enum { WARM_UP_DRAWS = 2, MIN_DRAWS = 4, MAX_DRAWS = 64, ROUND_MS = 2, MIN_ROUNDS = 2, ENOUGH_MS = 100, MAX_ROUNDS = 99 };
enum { VALUES = FEATURE_PX * FEATURE_PX * 4 };

static const struct feature_list *const lists[] = {
   &features_of_pixels,        &features_of_fill,        &features_of_targets,
   &features_of_primitives,    &features_of_samples,     &features_of_shaders,
   &features_of_transfers,     &features_of_calls,       &features_of_es3_textures,
   &features_of_es3_lookups,   &features_of_es3_targets, &features_of_es3_samples,
   &features_of_es3_shaders,   &features_of_es3_blocks,  &features_of_es3_vertices,
   &features_of_es3_transfers, &features_of_gl33,
};

/* The case with this index in the concatenated lists, and its API; NULL after the last. */
static const struct feature *
feature_at(size_t place, enum cost_api *api)
{
   for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
      *api = lists[i]->api;
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
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, FEATURE_PX, FEATURE_PX, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                NULL);
   glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
   glGenRenderbuffers(1, &depth);
   glBindRenderbuffer(GL_RENDERBUFFER, depth);
   glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH24_STENCIL8, FEATURE_PX, FEATURE_PX);
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_STENCIL_ATTACHMENT, GL_RENDERBUFFER, depth);
   glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
   return framebuffer;
}

/* Create a context and its scene. */
static struct scene
make_scene(const struct images *images, GLenum type, enum cost_api api)
{
   cost_context(api);
   const GLuint other = make_target(), target = make_target();
   glBindTexture(GL_TEXTURE_2D, 0);
   glViewport(0, 0, FEATURE_PX, FEATURE_PX);
   return (struct scene){ .target = target, .other = other, .image = image_of(images, type) };
}

/* Whether the list of extensions contains the name as a whole word. */
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

/* Set up a case. Returns NULL, or the missing feature. */
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

/* Processor time of `draws` draws, submitted one by one and finished together. */
static double
draw_ms(const struct feature *feature, const struct scene *scene, int draws)
{
   const uint64_t begin_ns = cost_process_ns();
   for (int i = 0; i < draws; i++) {
      (feature->draw ? feature->draw : draw_quad)(feature, scene);
      glFlush();
   }
   glFinish();
   return (double)(cost_process_ns() - begin_ns) * 1e-6;
}

/* Measure a case: milliseconds per draw. */
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

/* Run a case and print its line. Returns whether there was no error. */
static bool
run(const struct feature *feature, enum cost_api api, const struct images *images, int rounds)
{
   const struct scene scene = make_scene(images, feature->image.type, api);
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
   fflush(stdout); /* shows the case in which a process crashes */
   return !error;
}

/* Whether one of the patterns, the arguments from the third on, matches the name; true without
 * patterns. */
static bool
is_chosen(const struct feature *feature, int argc, char **argv)
{
   for (int i = 2; i < argc; i++) {
      if (fnmatch(argv[i], feature->name, 0) == 0)
         return true;
   }
   return argc <= 2;
}

/* Exit unless every pattern matches a name. */
static void
check_patterns(int argc, char **argv)
{
   for (int i = 2; i < argc; i++) {
      const struct feature *feature;
      enum cost_api api;
      size_t place = 0;
      while ((feature = feature_at(place, &api)) && fnmatch(argv[i], feature->name, 0) != 0)
         place++;
      if (!feature) {
         fprintf(stderr, "feature_cost: no case is called %s; feature_cost --list prints all\n",
                 argv[i]);
         exit(2);
      }
   }
}

static int
print_names(void)
{
   const struct feature *feature;
   enum cost_api api;
   for (size_t place = 0; (feature = feature_at(place, &api)); place++)
      puts(feature->name);
   return 0;
}

int
main(int argc, char **argv)
{
   static struct images images;
   const struct feature *feature;
   enum cost_api api;
   if (argc == 2 && strcmp(argv[1], "--list") == 0)
      return print_names();
   const int rounds = cost_repeats(argc, argv, 7, MAX_ROUNDS);
   bool good = true;
   check_patterns(argc, argv);
   fill_images(&images);
   cost_context(COST_DESKTOP);
   printf("%s\n%-44s %10s\n", (const char *)glGetString(GL_RENDERER), "processor time of",
          "ms a draw");
   for (size_t place = 0; (feature = feature_at(place, &api)); place++) {
      if (is_chosen(feature, argc, argv))
         good &= run(feature, api, &images, rounds);
   }
   return good ? 0 : 1;
}
