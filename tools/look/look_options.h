/* SPDX-License-Identifier: MIT */
/*
 * The front of a tool: its options, its usage, its complaints and its exit status. A tool describes
 * itself in a struct look_tool and a table of options; both command line and --help come from
 * these.
 *
 * Exit status: 0; LOOK_WRONG if the command line is wrong; else `failure` of the tool.
 */
#ifndef LOOK_OPTIONS_H
#define LOOK_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#define LOOK_WRONG 2     /* exit status: the command line is wrong */
#define LOOK_CONTINUE -1 /* no exit status yet */

/* An option; or a word that is none, for --help alone. */
struct look_option {
   const char *name;      /* "--image", "CAPTURE" */
   const char *parameter; /* its values, a space between two: "X,Y", "NAME FILE"; NULL: none */
   const char *text;      /* what it does, for --help */
   const char *values;    /* what they may be, for --help and complaints; NULL: any text */
   /* Set it from its values. False: they are not known. `target` is `offset` bytes into the tool's
    * request, NULL in `parse`: a flag, which is a bool there. */
   bool (*parse)(const struct look_option *option, const char *const *value, void *target);
   size_t offset;
   unsigned long least, most; /* of a number */
};

#define LOOK_CAPTURE "a file that CLIPFREE_CAPTURE wrote (docs/replay.md)"

struct look_tool {
   const char *name;     /* in front of its messages: "clipfree why" */
   const char *synopsis; /* "clipfree why [OPTION...] CAPTURE", a line for each way to call it */
   const char *text;     /* what it does */
   const char *more;     /* after the options; NULL: nothing */
   const struct look_option *options; /* words, then options; the last has no name */
   int least_words, most_words;       /* words that are no options */
   int failure;                       /* exit status where it cannot do what it should */
};

/** Parse a command line into `request`, whose options are set as the tool's table says, and `word`,
 * `most_words` of them; those that are not given stay as they are. LOOK_CONTINUE, or the exit
 * status: 0 after --help; LOOK_WRONG, which is explained on stderr. */
int look_parse(const struct look_tool *tool, int argc, char **argv, void *request,
               const char **word);

/** Print a message on stderr. Returns the exit status of a failure. */
int __attribute__((format(printf, 2, 3)))
look_complain(const struct look_tool *tool, const char *format, ...);

/** Print what is wrong with a command line on stderr. Returns LOOK_WRONG. */
int __attribute__((format(printf, 2, 3)))
look_wrong(const struct look_tool *tool, const char *format, ...);

/** Print that an argument is missing, and how the tool is called, on stderr. Returns LOOK_WRONG. */
int look_incomplete(const struct look_tool *tool);

/** The end of an answer on stdout: `status`, or that of a failure if it could not be written. */
int look_finish(const struct look_tool *tool, int status);

/** Print a document on stdout, `indent` columns a level, and free it. NULL: out of memory. Returns
 * the exit status. */
int look_print_json(const struct look_tool *tool, json_t *document, int indent);

/** Values of options, for their tables: a text (const char *, not empty), a number from `least` to
 * `most` (unsigned long), an address (uint64_t, "0x2801000", not 0). */
bool look_set_text(const struct look_option *option, const char *const *value, void *target);
bool look_set_number(const struct look_option *option, const char *const *value, void *target);
bool look_set_address(const struct look_option *option, const char *const *value, void *target);

/** Parse "X,Y": a pixel, each coordinate at most 65535. False: it is none. */
bool look_parse_pixel(const char *text, uint32_t *x_px, uint32_t *y_px);

#endif
