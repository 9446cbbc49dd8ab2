/* SPDX-License-Identifier: MIT */
/* Private to the room: what the sanitiser knows of programs, draws and tasks. */
#ifndef CF_SANE_H
#define CF_SANE_H

#include <pthread.h>
#include <stdatomic.h>

#include "clipfree/interface/cf_note.h"
#include "clipfree/isa/cf_isa.h"
#include "clipfree/memory/cf_memory.h"
#include "clipfree/profile/cf_live.h"
#include "clipfree/sanitize/cf_print.h"
#include "clipfree/sanitize/cf_sane_lanes.h"
#include "clipfree/sanitize/cf_sanitize.h"
#include "clipfree/shader/cf_task.h"

#define SANE_STAGES CF_STAGES
#define SANE_BIRTHS 31 /* of a task; later ones are not followed */
#define SANE_PAIRS 1024
#define SANE_THROUGH 24
#define SANE_STAINS 64

/* What has to be done at an instruction. */
enum sane_flag {
   SANE_FLOAT = 1 << 0, /* its result may be the first NaN or infinity */
   SANE_LOAD = 1 << 1,  /* its result may be loaded from where nothing is */
   SANE_QUAD = 1 << 2,  /* it looks at the whole quad */
   SANE_KILL = 1 << 3,
   SANE_INTEGER = 1 << 4, /* a division of integers */
   SANE_OUT = 1 << 5,     /* an output */
   SANE_STORE = 1 << 6,
   SANE_PRINT = 1 << 7, /* it may store a value that is printed or asserted */
   SANE_RANGE = 1 << 8, /* its result is mediump or lowp */
};

/* What is known of an instruction beside its operation. */
struct sane_instr {
   uint16_t flags; /* enum sane_flag */
   uint8_t domain; /* enum cf_sanitize_check of a result that is not finite: log2 may be of a pow */
   uint8_t rows;   /* of its result, a bit each (cf_written_rows) */
   uint8_t overwritten; /* sources that its result may overwrite, a bit each */
   float most; /* the largest result that is looked at no further: that every GPU has, or any */
   /* ldu with an index: the dwords of the array in its bank, and of an element; 0: not known */
   uint32_t first_dw, end_dw, stride_dw;
};

/* A print or an assertion of a program. */
struct sane_print {
   struct cf_note_print place;
   const char *text; /* in the program's note */
   enum cf_print_kind kind;
};

/* A uniform that was never set when its program drew. */
struct sane_unset {
   struct sane_unset *next;
   _Atomic(struct cf_sanitize_report *) place;
   char text[];
};

/* A program that was bound. */
struct sane_program {
   struct sane_program *next;
   uint64_t descriptor, code_hash;
   struct cf_program info;
   struct cf_instr *code;
   struct sane_instr *instr;
   _Atomic(struct cf_sanitize_report *) *place; /* [instruction][check] */
   _Atomic(struct cf_sanitize_report *) position, feedback, feedback_size, fighting;
   uint32_t units;               /* texture units that it samples */
   const struct sane_note *note; /* NULL: none */
   struct sane_unset *unset;     /* NULL: none */
   struct sane_print *print;
   uint32_t prints;
   /* by output: what is not finite there. With the lock */
   struct cf_sanitize_report *arrived[CF_MAX_OUTPUTS];
};

/* An image that a value of a report was drawn to. */
struct sane_stain {
   uint64_t address;
   struct cf_sanitize_report *report;
};

/* A note, never freed while the sanitiser lives if a program has it. */
struct sane_note {
   struct sane_note *older;
   uint64_t address;
   size_t size_B;
   uint8_t bytes[];
};

/* Depths before they were stored, of a depth buffer: of the first pixel of each quad. */
struct sane_depths {
   struct sane_depths *next;
   uint64_t address;
   uint32_t width_px, height_px;
   float step;
   /* by tile: the number of the draw that comes after its last clear as a whole; what is of an
    * earlier draw was cleared */
   uint32_t *cleared;
   struct sane_depth {
      float depth;
      uint32_t draw, primitive; /* draw: its number + 1; 0: none */
   } pixel[];
};

/* Lines of a print in a draw, each of key and values: the first by their keys, a heap with the last
 * of them on top. Keys: instance, vertex, 0 or primitive, y, x; then a number in the task. */
struct sane_lines {
   uint64_t count; /* of all, also of those that are left out */
   uint32_t kept, capacity, instr;
   uint32_t *row; /* SANE_KEY_DW + dwords of the print */
};
#define SANE_KEY_DW 4

/* Vertices of a draw that are shaded, some of them several times: a set. */
struct sane_seen {
   uint64_t *key; /* instance and vertex; an empty one is UINT64_MAX */
   uint32_t count, capacity;
};

struct sane_draw {
   uint64_t packet, submission;
   uint32_t number;
   bool discards; /* no primitive is drawn */
   bool
      positions; /* of its vertices are drawn: nothing is discarded, no geometry program is bound */
   struct sane_program *program[SANE_STAGES];
   struct sane_depths *depths; /* NULL: depths are not compared */
   struct sane_lines *lines[SANE_STAGES]; /* by print of the program; NULL: none was printed */
   struct sane_seen seen;
   uint64_t target[CF_MAX_COLOR_TARGETS]; /* addresses of the pixels that it draws to; 0: none */
   /* what is not written as a whole: CF_NOTE_WRITTEN_BYTES and _TEXELS of its note */
   struct cf_note_part *written;
   uint32_t writtens;
};

/* Two primitives that are nearer to each other than a step. */
struct sane_pair {
   uint32_t draw[2], primitive[2];
   uint32_t pixels, passed, differ; /* pixels: all; passed: the later wins; differ: not equal */
};

/* The birth of a suspect value in a task: the instruction that made it. Births are numbered from 1.
 * The tag of a value that follows from it, in a register or in scratch, is this number; 0: none. */
struct sane_birth {
   enum cf_sanitize_check check;
   uint32_t instr, lanes, reported;
   const struct cf_instr *code;
   uint32_t operand[4][CF_TASK_LANES], result[CF_TASK_LANES];
   bool elsewhere; /* it is reported where it came from: in the vertex program */
   uint32_t through[SANE_THROUGH], throughs; /* instructions that it passed, in their order */
};

/* A thread, and the task that it runs. */
struct sane_thread {
   struct sane_thread *next;
   struct cf_sanitize *sanitize;
   uint64_t submission, packet; /* of `draw` */
   struct sane_draw *draw;
   struct sane_program *program; /* of the task; NULL: it is not watched, nor kept in its event */
   uint32_t first_exec, killed, lanes;
   uint32_t printing, printed; /* lanes that may print; values printed so far in the task */
   /* the instruction that runs */
   const struct cf_run *run;
   const struct cf_instr *instr; /* NULL: none ran yet */
   const struct sane_instr *known;
   uint32_t at, exec, sources;
   uint16_t flags; /* enum sane_flag */
   const uint32_t *operand[4];
   uint32_t saved[4][CF_TASK_LANES];
   /* tags of its result that are known before it runs; valid if has_result_tag */
   uint8_t result_tag[CF_TASK_LANES];
   bool has_result_tag;
   uint32_t texels[2]; /* lanes that read a texel that was never written, and one that was */
   uint32_t texel[CF_TASK_LANES]; /* the first such one: x | y << 16 */
   bool any; /* some value of the task is suspect: tags are kept */
   uint32_t births;
   struct sane_birth birth[SANE_BIRTHS];
   _Alignas(64) uint8_t vector[CF_MAX_VECTOR_REGS][CF_TASK_LANES];
   uint8_t scalar[CF_MAX_SCALAR_REGS][CF_TASK_LANES];
   uint8_t (*scratch)[CF_TASK_LANES];
   uint32_t scratch_dwords;
};

struct cf_sanitize {
   struct cf_live live;
   struct cf_observer observer;
   struct cf_sanitize_config config;
   const struct cf_sane_ops *ops;
   pthread_key_t thread;
   pthread_mutex_t lock; /* of all that follows */
   struct sane_thread *threads;
   void *notes;             /* of tsearch: struct sane_note by address */
   struct sane_note *older; /* replaced ones that programs may have */
   struct sane_program *programs;
   struct sane_depths *depths;
   struct sane_draw **draw; /* of the submission, by ascending address */
   uint32_t draws, draw_capacity, numbered;
   struct sane_pair pair[SANE_PAIRS];
   struct sane_stain stain[SANE_STAINS]; /* a ring: `stains` counts all */
   uint32_t stains;
   struct cf_sanitize_report *first, **last;
   /* the thread that parses alone changes what follows */
   uint64_t submission;
   struct sane_program *bound[SANE_STAGES];
   struct cf_framebuffer framebuffer;
   struct cf_depth_stencil depth_stencil;
   struct cf_raster raster;
   struct cf_bind_texture texture[SANE_STAGES][CF_MAX_TEXTURE_UNITS];
   uint32_t color_masks; /* a bit for each target that is written */
   struct cf_vertex_elements elements;
   struct cf_constants constants[SANE_STAGES][CF_MAX_CONSTANT_BANKS];
   struct cf_feedback feedback;
};

static inline bool
sane_checks(const struct cf_sanitize *s, enum cf_sanitize_check check)
{
   return s->config.checks >> check & 1;
}

static inline bool
sane_is_finite(uint32_t bits)
{
   return (bits & 0x7f800000) != 0x7f800000;
}

/** A row of the result of an instruction. */
static inline const uint32_t *
sane_result_row(const struct cf_instr *instr, const struct cf_task *task, uint32_t k)
{
   return instr->dst.kind == CF_KIND_S ? task->s[instr->dst.index + k]
                                       : task->v[instr->dst.index + k];
}

/* ---- cf_sane_program.c */

/** The program at a descriptor; made when it is seen first. With the lock. NULL: not in memory, or
 * no memory. */
struct sane_program *sane_program_at(struct cf_sanitize *s, const struct cf_memory *memory,
                                     uint64_t descriptor);
void sane_program_free(struct sane_program *program);

/** The first line that an instruction is made from. False: none is known. */
bool sane_first_line(const struct sane_note *note, uint32_t instr, struct cf_note_line *line);

/** Mesa's name of the GLSL program that it is part of: "GLSL3"; "": none is known. */
const char *sane_program_name(const struct sane_program *program);

/** The line of GLSL of an instruction, and its program's name, into the report. */
void sane_take_line(const struct sane_program *program, struct cf_sanitize_report *report);

/** The GLSL name of an output dword: "gl_Position.x", "color 0.y", or "output 12". */
void sane_output_name(const struct sane_program *program, uint32_t index, char name[64]);

/* ---- cf_sanitize.c */

/** The calling thread's state; NULL: no memory. */
struct sane_thread *sane_thread(struct cf_sanitize *s);

/** Set thread->draw to the draw of a packet. False: it is not known. */
bool sane_find_draw(struct sane_thread *thread, uint64_t packet);

/** Count a place, and report it if it is new. `report`: check, program, instruction, where, and
 * message are set; the rest is set here. place: NULL: there is one for this draw's program. Returns
 * the report of the place; NULL: no memory. */
struct cf_sanitize_report *sane_report(struct cf_sanitize *s, const struct sane_draw *draw,
                                       _Atomic(struct cf_sanitize_report *) *place, uint32_t count,
                                       const struct cf_sanitize_report *report);

/** The note of an address; NULL: none. With the lock. */
const struct sane_note *sane_note_at(const struct cf_sanitize *s, uint64_t address);

/* ---- cf_sane_print.c */

/** Find what a program with a note prints, and mark its instructions. Without memory: nothing. */
void sane_find_prints(struct sane_program *program);

/** Lanes of a task that begins which may print: those of the filter, each vertex of a draw once. */
uint32_t sane_printing_lanes(struct sane_thread *t, const struct cf_task_event *event);

/** What an instruction with SANE_PRINT prints or asserts. */
void sane_print_store(struct sane_thread *t, const struct cf_task_event *event);

/** Print what the draws of the submission printed, in their order, once. With the lock. */
void sane_print_lines(struct cf_sanitize *s);
void sane_free_lines(struct sane_draw *draw);

/* ---- cf_sane_written.c */

/** Take what the note of a draw says of memory that it reads, and report uniforms that were never
 * set. Without the lock, by the thread that parses. */
void sane_take_written(struct cf_sanitize *s, struct sane_draw *draw);

/** Lanes that read bytes of a vertex element that were never written. */
uint32_t sane_unwritten_lanes(const struct sane_thread *t, const struct cf_task_event *event);

/** Whether something of what the draw of a task reads is not written. */
bool sane_wants_texels(void *user, const struct cf_task_event *task);
void sane_texel(void *user, const struct cf_task_event *task, const struct cf_texel *texel);
void sane_footprint(void *user, const struct cf_task_event *task,
                    const struct cf_footprint *footprint);

/* ---- cf_sane_report.c */

/** Text of the call of a draw packet, and of its debug groups; "" where none is known. With the
 * lock.
 */
void sane_draw_names(const struct cf_sanitize *s, uint64_t packet, char call[CF_SANITIZE_NAMES_B],
                     char group[CF_SANITIZE_NAMES_B]);

/** Set what a report has of its draw, and its text. With the lock. */
void sane_complete(const struct cf_sanitize *s, const struct sane_draw *draw,
                   struct cf_sanitize_report *report, bool is_step);

/* ---- cf_sane_task.c: callbacks */

void sane_task_begin(void *user, const struct cf_task_event *task);
void sane_task_end(void *user, const struct cf_task_event *task);

/** Give the results of the instruction before their tags. `suspect`: some value of it is not
 * finite, or outside of its precision's range. */
void sane_settle(struct sane_thread *t, bool suspect);

/** Look at the instruction that comes, before it runs: what it reads, and what arrives there. */
void sane_look(struct sane_thread *t, const struct cf_task_event *event);

/** The number of the element that the instruction, an ldf, loads in a lane. */
uint64_t sane_element_number(const struct sane_thread *t, const struct cf_run *run, uint32_t lane);

/* ---- cf_sane_depth.c */

/** Whether a draw compares depths, and writes the nearer. */
bool sane_draws_depth(const struct cf_depth_stencil *state);

/** The depths of the bound depth buffer. With the lock. NULL: there is none, or no memory. */
struct sane_depths *sane_depths_of(struct cf_sanitize *s, const struct cf_memory *memory);
/** Whether depths of a draw are compared. */
bool sane_compares_depth(void *user, uint64_t draw);
void sane_depth_fragment(void *user, const struct cf_fragment_event *fragment);
void sane_depth_clear(void *user, const struct cf_clear_event *clear);

/* ---- cf_sane_feedback.c */

/** Whether samples may read the image at an address. */
bool sane_samples(const struct cf_texture *texture, const struct cf_sampler *sampler,
                  uint64_t address);

/** The addresses of the pixels that the frame buffer has: draw->target. */
void sane_take_targets(const struct cf_sanitize *s, const struct cf_memory *memory,
                       struct sane_draw *draw);

/** Report textures of a draw that are written by it. */
void sane_check_feedback(struct cf_sanitize *s, const struct sane_draw *draw,
                         const struct cf_packet_event *event);

/** Check that buffers of transform feedback have room; struct cf_observer. */
void sane_feedback(void *user, const struct cf_feedback_event *event);

#endif
