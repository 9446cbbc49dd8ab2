/* SPDX-License-Identifier: MIT */
/*
 * Mode `cycles`, gpu.model = "fragments": paper B's fragment operation unit, which has three units
 * of modules. A module holds one command, and gives it on when the next one is free.
 *
 *    clear and accumulate: parse -> read or clear -> send
 *    fragment test:        -> select -> test or settings -> control
 *    blend, logic, mask:   -> decode -> blend1 -> blend2 -> merge -> memory
 *
 * The test unit takes a command when all its modules are idle. What is written is gathered in words
 * of memory by address; a word is written when it is full, when its place is needed, or at the end
 * of a submission. Accumulation is not in the trace: Mesa does it.
 */
#ifndef CF_SIM_FRAGMENTS_H
#define CF_SIM_FRAGMENTS_H

#include "clipfree/timing/cf_sim_dram.h"
#include "clipfree/timing/cf_sim_layout.h"
#include "clipfree/timing/cf_sim_order.h"
#include "clipfree/timing/cf_sim_unit.h"

enum cf_sim_module {
   CF_SIM_MODULE_PARSE,
   CF_SIM_MODULE_CLEAR,
   CF_SIM_MODULE_READ,
   CF_SIM_MODULE_SEND,
   CF_SIM_MODULE_SELECT,
   CF_SIM_MODULE_SETTINGS,
   CF_SIM_MODULE_TEST,
   CF_SIM_MODULE_CONTROL,
   CF_SIM_MODULE_DECODE,
   CF_SIM_MODULE_BLEND1,
   CF_SIM_MODULE_BLEND2,
   CF_SIM_MODULE_MERGE,
   CF_SIM_MODULE_MEMORY,
   CF_SIM_MODULES
};

enum cf_sim_command { CF_SIM_COMMAND_STATE, CF_SIM_COMMAND_FRAGMENT, CF_SIM_COMMAND_CLEAR };

/* A command: of settings; a fragment, by sample; or 32 bits of a clear. */
struct cf_sim_fragment {
   enum cf_sim_command kind;
   uint32_t op;
   uint16_t x_px, y_px;
   uint8_t sample, image; /* image of a clear: a colour, or CF_MAX_COLOR_TARGETS: depth, stencil */
   bool tested, written;
};

/* What a module holds. */
struct cf_sim_module_slot {
   struct cf_sim_fragment held;
   bool full;
   uint64_t ready; /* it has done its work then */
};

#define CF_SIM_MAX_READS 64
#define CF_SIM_MAX_WORDS 16
#define CF_SIM_DATA (CF_MAX_COLOR_TARGETS + 1) /* most that a fragment writes */
#define CF_SIM_WRITES (2 * CF_SIM_DATA + CF_SIM_MAX_WORDS)

/* Fragments whose destination is read: a ring. */
struct cf_sim_destination {
   struct cf_sim_fragment held;
   uint64_t ready;
   uint32_t to_ask;       /* words that are still to be requested */
   uint32_t outstanding;  /* words that are requested and have not arrived */
   uint32_t words, pixel; /* pixel: in its words */
   uint64_t word[CF_SIM_DATA];
};

/* A word that is gathered. */
struct cf_sim_gathered {
   uint64_t word;
   uint32_t pixels; /* a bit each; 0: it is free */
   uint64_t used;   /* number of the datum that came last */
};

struct cf_sim_fragments_counts {
   uint64_t commands, fragments, clears; /* clears: data of them */
   uint64_t dropped;                     /* fragments that fail a test, and write nothing */
   uint64_t stencil_only;                /* fragments that fail a test, but write stencil */
   uint64_t data;                        /* of 32 bits, that are written */
   uint64_t words;                       /* of memory, that are written */
   uint64_t full_words;                  /* of these, words in which every datum is new */
   uint64_t reads;                       /* words that are read from memory */
   uint64_t forwarded; /* words that are still being gathered, so they need not be read */
};

struct cf_sim_fragments {
   const struct cf_sim_machine *machine;
   struct cf_sim_layout layout;
   struct cf_sim_dram dram;
   struct cf_sim_unit unit[CF_SIM_MODULES];
   uint64_t cycles[CF_SIM_MODULES][CF_SIM_WHYS];
   const struct cf_sim_chunk *chunk;
   const struct cf_sim_order *order;
   /* commands that come next: those of an operation, of a primitive, or of a clear */
   struct cf_sim_fragment *command;
   size_t commands, command_room, next_command, next_item;
   uint32_t next_op; /* whose settings come */
   struct cf_sim_module_slot module[CF_SIM_MODULES];
   struct cf_sim_destination destination[CF_SIM_MAX_READS]; /* ring */
   uint32_t first_destination, destinations;
   struct cf_sim_gathered gathered[CF_SIM_MAX_WORDS];
   struct cf_sim_gathered to_write[CF_SIM_WRITES]; /* in order */
   uint32_t writes;
   bool waits_for_order; /* parse */
   bool wrote, blocked;  /* merge gave a word to memory in this cycle; memory took none */
   bool moved;           /* something happened in this cycle */
   uint64_t time;
   struct cf_sim_fragments_counts counts;
   bool failed, stuck; /* out of memory; a fault of the model */
};

/** False: out of memory. The machine must outlive it. Ends with cf_sim_fragments_free, in any
 * case. */
bool cf_sim_fragments_init(struct cf_sim_fragments *fragments,
                           const struct cf_sim_machine *machine);
void cf_sim_fragments_free(struct cf_sim_fragments *fragments);

/** Run the fragments and clears of a chunk to their end. */
void cf_sim_fragments_chunk(struct cf_sim_fragments *fragments, const struct cf_sim_chunk *chunk,
                            const struct cf_sim_order *order);

/** All chunks were run: count the cycles up to now. */
void cf_sim_fragments_finish(struct cf_sim_fragments *fragments);

/** "parse", ... */
const char *cf_sim_module_name(enum cf_sim_module module);

/** Whether the machine can run this model. NULL, or why not. */
const char *cf_sim_fragments_contradiction(const struct cf_sim_machine *machine);

#endif
