/* SPDX-License-Identifier: MIT */
/*
 * A vector core: tasks in slots; instructions of one after the other task are fetched, and issued
 * when the scoreboard finds their registers free; operand collectors before the vector ALU; scalar
 * and branch unit. Instructions for memory and exports go to the units that all cores share.
 */
#ifndef CF_SIM_CORE_H
#define CF_SIM_CORE_H

#include "clipfree/timing/cf_sim_code.h"
#include "clipfree/timing/cf_sim_unit.h"

struct cf_sim_gpu;
struct cf_sim_task;

#define CF_SIM_MAX_CORES 8
#define CF_SIM_SLOTS 16
#define CF_SIM_COLLECTORS 16
#define CF_SIM_EVENTS 256

/* A task's slot. */
struct cf_sim_slot {
   struct cf_sim_task *task;
   uint32_t at, fetched; /* the next instruction; instructions from there on that are fetched */
   const struct cf_sim_instr *next;
   bool stopped;  /* none is fetched after control flow until it is run */
   bool missing;  /* an instruction or a constant is on its way */
   bool referred; /* the dword of its ldu is known */
   uint32_t dword;
   struct cf_sim_registers pending, loading; /* results on their way; of these, from memory */
   uint32_t loads, exports; /* instructions that the memory unit has; that the output unit has */
   /* Of these loads, those that have yet to take records from the trace, whose order is the
    * program's: control flow and ldu take theirs after them. */
   uint32_t untaken;
   bool ended;
   enum cf_sim_why why; /* why it cannot issue, until something happens to it */
   bool blocked;
};

/* The results of an instruction of a slot arrive. */
struct cf_sim_event {
   uint64_t time;
   uint32_t slot;
   const struct cf_sim_instr *instr;
   bool load; /* from the memory unit */
};

struct cf_sim_core {
   uint32_t used, tasks; /* slots, a bit each; their number */
   /* sets of slots, a bit each */
   uint32_t ready;            /* the next instruction may issue */
   uint32_t alu_next;         /* the next instruction is for the vector ALU */
   uint32_t to_fetch;         /* an instruction is to be fetched */
   uint32_t ended;            /* the task has ended, and waits to leave */
   uint32_t why[CF_SIM_WHYS]; /* the task waits, for this reason */
   uint64_t retired;          /* cf_sim_pixel.retired when ended tasks last tried to leave */
   uint32_t registers_B;    /* in use */
   uint32_t loads, exports; /* that wait for the memory unit and the output unit */
   uint32_t last_issued, last_fetched;
   uint32_t events;
   uint64_t next_event;
   uint64_t alu_free;      /* when the vector ALU can begin the next instruction */
   struct cf_sim_unit alu; /* its cycles: busy, or what the core waits for */
   uint32_t first_collected, collectors;
   uint64_t collected[CF_SIM_COLLECTORS]; /* ring: when those in collectors enter the ALU */
   struct cf_sim_slot slot[CF_SIM_SLOTS];
   struct cf_sim_event event[CF_SIM_EVENTS];
};

/** Whether a core has a slot, and registers for a task. */
bool cf_sim_core_has_place(const struct cf_sim_gpu *gpu, uint32_t core);
bool cf_sim_core_has_registers(const struct cf_sim_gpu *gpu, uint32_t core,
                               const struct cf_sim_task *task);

/** Give a task to a core that has room for it. */
void cf_sim_core_begin(struct cf_sim_gpu *gpu, uint32_t core, struct cf_sim_task *task);

void cf_sim_core_tick(struct cf_sim_gpu *gpu, uint32_t core);

/** The slot's instruction or constant is there. */
void cf_sim_core_fetched(struct cf_sim_gpu *gpu, uint32_t core, uint32_t slot);
void cf_sim_core_has_constant(struct cf_sim_gpu *gpu, uint32_t core, uint32_t slot);

/** The results of the load at instruction `at` arrive at a time. */
void cf_sim_core_loaded(struct cf_sim_gpu *gpu, uint32_t core, uint32_t slot, uint32_t at,
                        uint64_t time);

/** The memory unit took all that the trace has of a load of the slot. */
void cf_sim_core_taken(struct cf_sim_gpu *gpu, uint32_t core, uint32_t slot);

/** An export of the slot has left. */
void cf_sim_core_exported(struct cf_sim_gpu *gpu, uint32_t core, uint32_t slot);

/** Tasks of the core that wait for this reason may try again. */
void cf_sim_core_has_room(struct cf_sim_gpu *gpu, uint32_t core, enum cf_sim_why why);

/** Count the ALU's cycles up to a time. */
void cf_sim_core_count_alu(struct cf_sim_gpu *gpu, uint32_t core, uint64_t time);

#endif
