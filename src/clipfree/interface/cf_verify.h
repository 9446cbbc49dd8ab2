/* SPDX-License-Identifier: MIT */
/*
 * Where compiled code and the interpreter differ: what verification (cf_model_config.verify_engine)
 * tells its caller.
 */
#ifndef CF_VERIFY_H
#define CF_VERIFY_H

#include <stdbool.h>
#include <stdint.h>

/* A value that differs. */
struct cf_verify_value {
   /* "output", "pixel of target", "depth or stencil", "alive" or "timed_out" of a task; "component"
    * of an instruction; NULL: there is none */
   const char *what;
   unsigned index, lane; /* index: which output, target or component */
   uint32_t interpreted, compiled;
};

/* What running the task again in lock step, instruction by instruction, has found. */
enum cf_verify_found {
   CF_VERIFY_RESULT,  /* an instruction has another result */
   CF_VERIFY_FLOW,    /* after an instruction of control flow both go on differently */
   CF_VERIFY_NOTHING, /* all instructions agree: optimisation, or writing pixels */
   CF_VERIFY_UNKNOWN, /* there was no code to be watched, or no memory */
};

/* The first difference of a task. Valid while the callback runs. */
struct cf_verify_difference {
   const char *program;         /* its name */
   bool vertices;               /* a task of vertices, else of fragments */
   bool writes_pixels;          /* the compiled code goes from quads to pixels */
   struct cf_verify_value task; /* of the task's results */
   enum cf_verify_found found;
   uint32_t pc;                  /* RESULT, FLOW: the instruction; UINT32_MAX: before any */
   const char *text;             /* of it; "" before any */
   struct cf_verify_value value; /* RESULT: what it made */
};

/* Who is told of differences, instead of their being printed and the process being aborted. The
 * interpreter's results are kept, and all goes on. */
struct cf_verify_report {
   void *user;
   void (*differs)(void *user, const struct cf_verify_difference *difference);
};

#endif
