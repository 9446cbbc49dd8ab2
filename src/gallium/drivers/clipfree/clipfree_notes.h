/* SPDX-License-Identifier: MIT */
/*
 * What a person knows of draws and programs, given to a GPU that wants it, one that makes a
 * capture, and to the log of shaders. It comes from GL (src/mesa/clipfree, pipe_context::note) and
 * from NIR.
 */
#ifndef CLIPFREE_NOTES_H
#define CLIPFREE_NOTES_H

#include "clipfree/interface/cf_note.h"

struct cf_context;
struct cf_screen;

/* Debug groups nest as deep as Mesa allows. */
#define CF_MAX_DEBUG_GROUPS 64

/* Of a context. */
struct cf_context_notes {
   struct cf_note call; /* the GL call that draws; empty: Mesa draws for itself */
   char *group[CF_MAX_DEBUG_GROUPS];
   unsigned group_count;
   char *marker; /* since the last draw; NULL: none */
};

struct cf_binary;
struct cf_shader_object;

/** Find out whether the GPU or the log of shaders wants notes. */
void cf_screen_init_notes(struct cf_screen *screen);
void cf_screen_fini_notes(struct cf_screen *screen);

/** What is known of a compiled shader, if notes are wanted. The caller frees it. */
struct cf_note cf_note_of_binary(struct cf_screen *screen, const struct cf_shader_object *shader,
                                 const struct cf_binary *binary);

/** Take notes if they are wanted; after cf_context_init_draw. */
void cf_context_init_notes(struct cf_context *context);
void cf_context_fini_notes(struct cf_context *context);

#endif
