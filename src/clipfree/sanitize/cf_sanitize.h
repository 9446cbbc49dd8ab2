/* SPDX-License-Identifier: MIT */
/*
 * A sanitiser for GL, which also prints what shaders print (docs/print.md): it watches a GPU as an
 * observer and reports what programs do that OpenGL leaves undefined, or that is hardly meant
 * (docs/sanitize.md). Each place is reported once, when it is found; how often it came is counted.
 */
#ifndef CF_SANITIZE_H
#define CF_SANITIZE_H

#include <stdbool.h>
#include <stdint.h>

#include "clipfree/interface/cf_observer.h"
#include "clipfree/sanitize/cf_print.h"

/* What is checked: the table of docs/sanitize.md (gen_tables.py), the values of options, and
 * messages come from here. Values are followed through the program, and reported where they reach
 * an output, a branch, a texture coordinate or an index.
 *
 *    X(identifier, name, what it finds) */
#define CF_SANITIZE_CHECKS(X)                                                                      \
   X(NAN, "nan", "a NaN or infinity, at the instruction that made or loaded the first")            \
   X(DIVISION, "division", "a division by zero, also of integers and of textureProj")              \
   X(POW, "pow", "pow of a negative number")                                                       \
   X(NORMALIZE, "normalize", "normalize of a vector of length zero")                               \
   X(INVERSESQRT, "inversesqrt", "inversesqrt of zero or of a negative number")                    \
   X(SQRT, "sqrt", "sqrt of a negative number")                                                    \
   X(LOG, "log", "log of zero or of a negative number")                                            \
   X(UNIFORM_INDEX, "uniform-index", "an index outside of a uniform array, or of all uniforms")    \
   X(ARRAY_INDEX, "array-index", "an index outside of all arrays of a shader")                     \
   X(ATTRIBUTE_INDEX, "attribute-index", "a vertex or instance that a vertex buffer has not")      \
   X(TEXEL_INDEX, "texel-index",                                                                   \
     "a texel, level or sample of texelFetch that the texture has not")                            \
   X(DIVERGENCE, "divergence",                                                                     \
     "a derivative, or a texture's level of detail, of a quad of which "                           \
     "not all pixels are here")                                                                    \
   X(FEEDBACK, "feedback",                                                                         \
     "a draw that reads what it writes: a texture, or a buffer of transform feedback")             \
   X(FEEDBACK_SIZE, "feedback-size",                                                               \
     "a primitive for which a buffer of transform feedback has no room: it is not written")        \
   X(INFINITY, "infinity", "a vertex whose position is not finite, or has w = 0")                  \
   X(MEDIUMP, "mediump",                                                                           \
     "a mediump value above 2^14, or a lowp value above 2: "                                       \
     "a GPU need not have larger ones")                                                            \
   X(DEPTH_FIGHTING, "depth-fighting",                                                             \
     "two primitives nearer to each other than a step of depth, "                                  \
     "each before the other in some pixels")                                                       \
   X(UNWRITTEN_TEXEL, "unwritten-texel", "a texel of a texture that was never written")            \
   X(UNWRITTEN_ATTRIBUTE, "unwritten-attribute", "a vertex whose buffer was never written there")  \
   X(UNWRITTEN_VARYING, "unwritten-varying", "a varying, or gl_Position, that was not written")    \
   X(UNWRITTEN_VARIABLE, "unwritten-variable",                                                     \
     "a variable that is read before it is written, or a colour that is not")                      \
   X(UNWRITTEN_UNIFORM, "unwritten-uniform", "a uniform that was never set, and is 0; not in all") \
   X(ASSERT, "assert", "an assertion of a shader that fails (docs/print.md)")

enum cf_sanitize_check {
#define X(identifier, name, what) CF_SANITIZE_##identifier,
   CF_SANITIZE_CHECKS(X)
#undef X
      CF_SANITIZE_COUNT
};

/* A uniform that is never set is defined to be 0, and often meant to be. */
#define CF_SANITIZE_ALL (((1u << CF_SANITIZE_COUNT) - 1) & ~(1u << CF_SANITIZE_UNWRITTEN_UNIFORM))
#define CF_SANITIZE_FATAL (1u << 31) /* the process is aborted after the first report */

/* The values of options, for messages. */
#define CF_SANITIZE_LISTED(identifier, name, what) ", " name
#define CF_SANITIZE_VALUES                                                                         \
   "a list of checks, a comma between them: all, fatal (all, and stop at the "                     \
   "first)" CF_SANITIZE_CHECKS(CF_SANITIZE_LISTED)

/** Its name in lists and reports. */
const char *cf_sanitize_name(enum cf_sanitize_check check);

/** What it finds. */
const char *cf_sanitize_what(enum cf_sanitize_check check);

/** A list of names as bits, 1 << check; `fatal` alone is all checks. False: a name is not known, or
 * there is none. */
bool cf_sanitize_parse(const char *list, uint32_t *checks);

#define CF_SANITIZE_NO_INSTR UINT32_MAX
#define CF_SANITIZE_TEXT_B 1024
#define CF_SANITIZE_NAMES_B 160
#define CF_SANITIZE_PROGRAM_B 32
#define CF_SANITIZE_LINES 8

/* A place, and how it was found there first. */
struct cf_sanitize_report {
   struct cf_sanitize_report *next; /* the one that was found after it */
   enum cf_sanitize_check check;
   uint64_t count; /* vertices, fragments, or draws; read it when nothing runs */
   uint64_t submission, packet;
   uint32_t draw; /* number of the draw, from 0, in all submissions that were watched */
   /* the program and its instruction; CF_SANITIZE_NO_INSTR: the place is the draw */
   uint32_t instr;
   enum cf_shader_stage stage;
   uint64_t program; /* its descriptor; 0: the place is the draw */
   bool has_vertex, has_pixel;
   uint32_t vertex, instance;           /* has_vertex */
   uint32_t x_px, y_px, primitive;      /* has_pixel */
   char of_program[CF_SANITIZE_PROGRAM_B]; /* Mesa's name of the GLSL program: "GLSL3"; or "" */
   uint32_t line;                       /* of GLSL, after #line; 0: not known */
   char line_text[CF_SANITIZE_NAMES_B]; /* the line in the source, without blanks around it */
   char call[CF_SANITIZE_NAMES_B];      /* GL's call, or "" */
   char group[CF_SANITIZE_NAMES_B];   /* debug groups, the outermost first, " / " between; or "" */
   char message[CF_SANITIZE_NAMES_B]; /* what happened, with values */
   /* lines that the value passes after it was made, as far as they are known */
   uint32_t through[CF_SANITIZE_LINES], throughs;
   char text[CF_SANITIZE_TEXT_B]; /* all of it as a sentence */
   /* where a value that is not finite goes in other programs: the first step; each is a report */
   struct cf_sanitize_report *way;
};

struct cf_sanitize;

struct cf_sanitize_config {
   uint32_t checks; /* and CF_SANITIZE_FATAL */
   bool quiet;      /* nothing is written to stderr */
   struct cf_print_filter print; /* what shaders print, to stdout; not wanted: nothing */
   /* called with each new report, from any thread, one at a time; NULL: nothing is called */
   void *user;
   void (*report)(void *user, const struct cf_sanitize_report *report);
   void (*printed)(void *user, const char *line); /* the same for each line to stdout */
};

/** NULL: there is no memory. */
struct cf_sanitize *cf_sanitize_open(const struct cf_sanitize_config *config);

/** The observer of a GPU, which must be destroyed before the sanitiser is closed. */
const struct cf_observer *cf_sanitize_observer(const struct cf_sanitize *sanitize);

/** The first report; NULL: there is none. */
const struct cf_sanitize_report *cf_sanitize_reports(const struct cf_sanitize *sanitize);

/** Print how often each place came, and free. NULL: nothing is done. */
void cf_sanitize_close(struct cf_sanitize *sanitize);

#endif
