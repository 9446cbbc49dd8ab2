/* SPDX-License-Identifier: MIT */
/*
 * The recorder: an observer that makes the trace. Events come from any threads; the trace is the
 * same for any number of them.
 *
 * Data flow: observer -> tiles, vertices, primitives of the submission -> sorted -> config.chunk.
 */
#ifndef CF_SIM_RECORDER_H
#define CF_SIM_RECORDER_H

#include "clipfree/interface/cf_observer.h"
#include "clipfree/timing/cf_sim_trace.h"

struct cf_sim_recorder;

/* What the recorder asks its owner, who knows packets and descriptors. */
struct cf_sim_recorder_config {
   void *user;
   /** Called for each packet, in order, from one thread. How many operations it is, which `op`
    * describes, but for frame and number: 1, of a draw, a clear or a transfer; 2, of a draw with a
    * geometry program (CF_SIM_GEOMETRY); 0, of others. */
   uint32_t (*describe)(void *user, struct cf_sim_recorder *recorder,
                        const struct cf_packet_event *packet, struct cf_sim_op op[2]);
   /** Take the trace of a submission. False: it could not be taken. */
   bool (*chunk)(void *user, const struct cf_sim_chunk *chunk);
};

/** NULL: out of memory. */
struct cf_sim_recorder *cf_sim_recorder_create(const struct cf_sim_recorder_config *config);
void cf_sim_recorder_destroy(struct cf_sim_recorder *recorder);

/** The observer that a model on the plain path is made with. */
struct cf_observer cf_sim_recorder_observer(struct cf_sim_recorder *recorder);

/** The number of the frame that following submissions belong to. */
void cf_sim_recorder_frame(struct cf_sim_recorder *recorder, uint32_t frame);

/** Whether all was recorded and taken so far. */
bool cf_sim_recorder_went_well(const struct cf_sim_recorder *recorder);

/** For `describe`: the number of the image, or of the texture, at an address. */
uint32_t cf_sim_recorder_image(struct cf_sim_recorder *recorder, uint64_t address);
uint32_t cf_sim_recorder_texture(struct cf_sim_recorder *recorder, uint64_t address,
                                 const struct cf_sim_texture *texture);

/** The same for the buffer at an address; and for a program of these instructions (`first` is
 * ignored). CF_SIM_NONE: out of memory. */
uint32_t cf_sim_recorder_buffer(struct cf_sim_recorder *recorder, uint64_t address);
uint32_t cf_sim_recorder_program(struct cf_sim_recorder *recorder,
                                 const struct cf_sim_program *program, const uint64_t *code);

#endif
