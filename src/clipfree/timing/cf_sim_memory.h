/* SPDX-License-Identifier: MIT */
/*
 * The vector memory unit: textures, vertex elements and scratch of all cores. Instructions are
 * taken one after the other; each becomes accesses, of a quad or of four lanes. Tags come first:
 * an access asks for the lines that are not there, and joins a queue; data comes in order, when all
 * its lines are there (Igehy et al. 1998). The data cache has SRAMs of words of 32 bytes, which
 * are halves of lines.
 */
#ifndef CF_SIM_MEMORY_H
#define CF_SIM_MEMORY_H

#include "clipfree/timing/cf_sim_l2.h"
#include "clipfree/timing/cf_sim_texels.h"

#define CF_SIM_ACCESSES 256
#define CF_SIM_FILLS 256
#define CF_SIM_LOADS 512
#define CF_SIM_LOAD_QUEUE 128

/* An instruction of a core. */
struct cf_sim_load {
   struct cf_sim_task *task;
   uint8_t core, slot;
   uint32_t at;
   uint32_t left; /* accesses between tags and data */
   bool all;      /* all its accesses are made */
};

/* An access between tags and data. */
struct cf_sim_waiting_access {
   uint16_t load;
   uint16_t lines;  /* that are not there yet */
   uint16_t cycles; /* of data */
   uint16_t texels, filtered;
};

/* A line that is on its way, and the accesses that wait for it. */
struct cf_sim_fill {
   uint32_t way; /* in all sets */
   uint64_t waiting[CF_SIM_ACCESSES / 64];
};

struct cf_sim_memory {
   struct cf_sim_cache tags;
   uint16_t *fill_of; /* by way: the fill of its line + 1; 0: it is there */
   struct cf_sim_load load[CF_SIM_LOADS];
   uint16_t free_load[CF_SIM_LOADS];
   uint32_t free_loads;
   uint16_t queue[CF_SIM_LOAD_QUEUE]; /* ring of loads */
   uint32_t first_queued, queued;
   /* the load at the tags: its access, and how far it is */
   uint32_t group;
   bool has_access, any_access;
   struct cf_sim_sample_lines lines;
   uint32_t next_line, cycles;
   uint32_t access; /* its place in the ring */
   struct cf_sim_waiting_access waiting[CF_SIM_ACCESSES];
   uint32_t first_waiting, waitings;
   struct cf_sim_fill fill[CF_SIM_FILLS];
   uint16_t free_fill[CF_SIM_FILLS];
   uint32_t free_fills;
   uint64_t data_free; /* when data of the next access can be read */
   uint64_t loads_in, loads_out, requests, hits, misses; /* requests: of lines */
};

bool cf_sim_memory_init(struct cf_sim_gpu *gpu);
void cf_sim_memory_free(struct cf_sim_memory *memory);
void cf_sim_memory_tick(struct cf_sim_gpu *gpu);

bool cf_sim_memory_has_room(const struct cf_sim_gpu *gpu, uint32_t core);

/** Take the instruction at `at` of a slot, if there is room. */
void cf_sim_memory_push(struct cf_sim_gpu *gpu, uint32_t core, uint32_t slot, uint32_t at);

/** The line of a fill is there. */
void cf_sim_memory_filled(struct cf_sim_gpu *gpu, uint32_t fill);

#endif
