/* SPDX-License-Identifier: MIT */
/*
 * Plays a capture submission by submission: memory is brought to what it was, the caller looks at
 * the commands, may edit them, and runs them as often as it likes.
 */
#ifndef LOOK_PLAYER_H
#define LOOK_PLAYER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clipfree/capture/cf_capture_reader.h"
#include "clipfree/command/cf_model.h"
#include "clipfree/interface/cf_packets.h"

#include "look_notes.h"

struct look_player;

/* The submission that comes next. */
struct look_submission {
   uint32_t number;  /* in the capture, from 0 */
   uint64_t address; /* of its first packet */
   uint32_t *dw;     /* its packets, in GPU memory */
   uint32_t dwords;
};

/** Open a capture. `config`: of the model that runs it; NULL: nothing can be run, which is enough
 * to look at packets. NULL: `error` says why. */
struct look_player *look_player_open(const char *path, const struct cf_model_config *config,
                                     char *error, size_t error_B);
/** The same with a reader that is open, from its first record. One player at a time; it stays open.
 */
struct look_player *look_player_open_reader(struct cf_capture_reader *reader,
                                            const struct cf_model_config *config, char *error,
                                            size_t error_B);
void look_player_close(struct look_player *player);

/** Print to stderr what a person should know of the capture: that it is not complete. */
void look_player_warn(const struct look_player *player, const char *path);

/** Let look_player_next end when frame `number`, from 0, has been presented: memory is as it is
 * shown. */
void look_player_end_at_frame(struct look_player *player, uint32_t number);

/** Bring memory to the state before the next submission. 1: there is one; 0: the end; -1: the
 * capture is damaged, or the last submission was malformed: `error`. */
int look_player_next(struct look_player *player, struct look_submission *submission, char *error,
                     size_t error_B);

/** The limit of a submission that the user wants (--time-limit-ms); 0: there is none. */
uint64_t look_time_limit_ns(struct cf_gpu *gpu);

/** Run the submission, to its end. */
void look_player_run(struct look_player *player, const struct look_submission *submission);

/** Keep what this player's GPU draws, where it may draw otherwise than the captured run's did:
 * leave out memory that that one wrote. On the plain path that is so in any case. */
void look_player_leave_drawn(struct look_player *player);

/** Whether what ran was well-formed, or is forgiven; else `error` says what was not. */
bool look_player_went_well(const struct look_player *player, char *error, size_t error_B);

/** Go on after a submission that failed, as the GPU itself does: the rest of it is not run. */
void look_player_forgive(struct look_player *player);

/** All memory of the capture. */
struct cf_bo look_player_memory(const struct look_player *player);

/** A hash of memory, as clipfree replay prints it. */
uint64_t look_memory_hash(const struct cf_bo *memory);

/** Memory of the capture, or beside it, at an address; NULL unless all of it is there. */
void *look_player_at(const struct look_player *player, uint64_t address, uint64_t size_B);

/** Memory beside the capture's, 16 MiB of zeros, for what a tool adds. */
struct cf_bo look_player_extra(const struct look_player *player);

/** The surface that the last frame presented; false: the capture has none. */
bool look_player_presented(const struct look_player *player, struct cf_surface *surface);

/** What the notes so far say. */
const struct look_notes *look_player_notes(const struct look_player *player);

/** Frames presented so far. */
uint32_t look_player_frames(const struct look_player *player);

/** The number of submissions in all. */
uint32_t look_player_submissions(const struct look_player *player);

/* Packets of a command buffer, one after the other. */
struct look_packets {
   const uint32_t *dw;
   uint32_t dwords, at;
};

/** The next packet, header included; NULL: the end, or no packet. */
const uint32_t *look_packets_next(struct look_packets *packets);

/** Packets of a submission. */
static inline struct look_packets
look_packets_of(const struct look_submission *submission)
{
   return (struct look_packets){ .dw = submission->dw, .dwords = submission->dwords };
}

/** The GPU address of a packet of the submission. */
static inline uint64_t
look_packet_address(const struct look_submission *submission, const uint32_t *packet)
{
   return submission->address + 4 * (uint64_t)(packet - submission->dw);
}

static inline enum cf_opcode
look_opcode(const uint32_t *packet)
{
   return (enum cf_opcode)(packet[0] & 0xff);
}

#endif
