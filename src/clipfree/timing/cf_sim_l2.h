/* SPDX-License-Identifier: MIT */
/*
 * The second cache, which instructions, constants, indices, vertices and textures share, and caches
 * before it that have lines alone.
 */
#ifndef CF_SIM_L2_H
#define CF_SIM_L2_H

#include "clipfree/timing/cf_sim_misses.h"

struct cf_sim_gpu;

/* Who asks. */
enum cf_sim_client {
   CF_SIM_CLIENT_INSTRUCTION, /* token: core << 8 | slot */
   CF_SIM_CLIENT_CONSTANT,    /* the same */
   CF_SIM_CLIENT_INDEX,       /* token: number of the line in its draw */
   CF_SIM_CLIENT_DATA,        /* token: fill of the data cache */
   CF_SIM_CLIENTS
};

#define CF_SIM_L2_NUMBER 63 /* among the caches that memory knows */
#define CF_SIM_L2_QUEUE 16
#define CF_SIM_L2_REPLIES 2048

struct cf_sim_l2_reply {
   uint64_t time;
   uint32_t what; /* client << 28 | token */
};

struct cf_sim_l2 {
   struct cf_sim_machine machine; /* its miss.* are l2.* */
   struct cf_sim_misses misses;
   struct cf_sim_l2_reply reply[CF_SIM_L2_REPLIES]; /* ring: answered, on their way back */
   uint32_t first_reply, replies;
   uint64_t requests[CF_SIM_CLIENTS];
   uint64_t asked, given; /* requests in, answers out */
};

/* A cache of lines that come from the second one. */
struct cf_sim_line_cache {
   struct cf_sim_cache tags;
   uint64_t requests, misses;
};

bool cf_sim_l2_init(struct cf_sim_gpu *gpu);
void cf_sim_l2_free(struct cf_sim_l2 *l2);
void cf_sim_l2_tick(struct cf_sim_gpu *gpu);

/** Ask for a line; the client is told when it is there. False: the queue is full. */
bool cf_sim_l2_request(struct cf_sim_gpu *gpu, uint32_t line, enum cf_sim_client client,
                       uint32_t token);

/** Whether nothing is on its way. */
bool cf_sim_l2_idle(const struct cf_sim_l2 *l2);

/** Lines of buffers, and of instructions, behind those of textures. Buffers of more than 4 MB, and
 * those from number 4096 on, share lines with others. */
static inline uint32_t
cf_sim_buffer_line(uint32_t buffer, uint64_t offset_B, uint32_t line_B)
{
   const uint64_t line = offset_B / line_B & 0xffff;
   return 1u << 28 | (uint32_t)((((uint64_t)buffer << 16) + line) & 0x0fffffff);
}

static inline uint32_t
cf_sim_code_line(uint32_t program, uint32_t at, uint32_t line_B)
{
   return 1u << 29 | ((program << 13) & 0x0fffffff) | (8 * at / line_B & 0x1fff);
}

/** Whether a line is there. */
static inline bool
cf_sim_line_cache_has(struct cf_sim_line_cache *c, uint32_t line)
{
   const uint32_t set = line & (c->tags.sets - 1), way = cf_sim_cache_way(&c->tags, set, line);
   c->requests++;
   if (way == CF_SIM_NO_LINE) {
      c->misses++;
      return false;
   }
   cf_sim_cache_use(&c->tags, set, way);
   return true;
}

/** The line is there now. */
void cf_sim_line_cache_fill(struct cf_sim_line_cache *cache, uint32_t line);

#endif
