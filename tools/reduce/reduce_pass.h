/* SPDX-License-Identifier: MIT */
/*
 * Passes: each looks for things of one kind in the best case so far, and leaves out what it can.
 */
#ifndef REDUCE_PASS_H
#define REDUCE_PASS_H

#include "reduce_trial.h"

struct reduce_pass {
   const char *step;      /* its name, for people */
   uint32_t count, least; /* things, and how many of them at least go together */
   /* Leave out of a candidate, a copy of the best case when the pass began, what is not kept. */
   void (*apply)(struct reduce_case *candidate, const bool *keep, void *user);
   /* What is tried in place of the candidate; NULL: the candidate itself. It may return NULL. */
   struct reduce_case *(*make)(struct reduce_trial *trial, const struct reduce_case *candidate);
   void *user;
};

/** Run a pass. Returns whether anything was left out. */
bool reduce_pass_run(struct reduce_trial *trial, const struct reduce_pass *pass);

/* ---- the passes, coarse to fine. Each returns whether the best case is another one now. */

/** Memory that the packets do not name. */
bool reduce_unnamed_memory(struct reduce_trial *trial);
/** What images that operations write have before: the last frame's picture, for instance. It comes
 * first, so that what makes a picture is not taken for superfluous. */
bool reduce_pictures(struct reduce_trial *trial);
bool reduce_submissions(struct reduce_trial *trial);
/** Draws, clears, transfers and queries. */
bool reduce_operations(struct reduce_trial *trial);
/** Operations whose results, where others read them as textures or buffers, become memory that the
 * capture has from the beginning. */
bool reduce_to_results(struct reduce_trial *trial);
/** Packets that set state. */
bool reduce_state_packets(struct reduce_trial *trial);
/** Primitives of draws, and instances. */
bool reduce_primitives(struct reduce_trial *trial);
/** Fields of packets and descriptors that become what they are by default. */
bool reduce_fields(struct reduce_trial *trial);
/** Textures that become smaller: one texel, a level of their mipmaps, a half. */
bool reduce_textures(struct reduce_trial *trial);
/** Branches made straight, instructions replaced by constants, dead ones removed. */
bool reduce_programs(struct reduce_trial *trial);
/** GLSL, tried in the program in C, if one is wanted. */
bool reduce_glsl(struct reduce_trial *trial);
/** Bytes of memory that become zero: pages, then lines of 64 bytes, then dwords of constants. */
bool reduce_memory(struct reduce_trial *trial);

#endif
