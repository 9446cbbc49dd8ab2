/* SPDX-License-Identifier: MIT
 *
 * Pictures that together make the driver allocate what it can: of all kinds of objects, draws and
 * copies. They go on where something is refused, unlike other tests' (harness/gles2_context.h).
 */
#ifndef MEMORY_SCENES_H
#define MEMORY_SCENES_H

#include <stdbool.h>
#include <stdint.h>

/* What became of a scene. */
struct scene_result {
   uint64_t hash;  /* of its pixels, and of numbers that GL gave back */
   bool refused;   /* a program, a frame buffer or a mapping: GL has said so */
   unsigned error; /* the first that GL had; GL_NO_ERROR */
};

struct scene {
   const char *name;
   bool desktop; /* OpenGL 3.3 instead of OpenGL ES 3.0 */
   void (*draw)(void);
};

extern const struct scene scenes[];
extern const unsigned scene_count;

/* Draws a scene with the current context, into a frame buffer object of its own unless `surface`:
 * then into the current surface, of SCENE_PX x SCENE_PX. Leaves no object behind. */
#define SCENE_PX 64
struct scene_result scene_take(const struct scene *scene, bool surface);

#endif
