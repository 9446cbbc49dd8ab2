/* SPDX-License-Identifier: MIT */
/*
 * What GL knows of programs and draws, told to a driver that makes a capture (pipe_caps.notes,
 * pipe_context::note). Mesa's only part that is clipfree's.
 */
#ifndef CLIPFREE_GL_NOTES_H
#define CLIPFREE_GL_NOTES_H

#ifdef __cplusplus
extern "C" {
#endif

struct dd_function_table;
struct gl_context;
struct gl_shader_program;

/** Note each GL call that draws from now on. */
void clipfree_note_draws(struct dd_function_table *functions);

/** Note the sources and uniforms of a program that was linked. */
void clipfree_note_program(struct gl_context *ctx, const struct gl_shader_program *program);

#ifdef __cplusplus
}
#endif

#endif
