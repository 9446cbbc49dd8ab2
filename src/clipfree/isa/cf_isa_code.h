/* SPDX-License-Identifier: MIT */
/*
 * Instructions as data: encoding, decoding, and the properties of operations. Included by the
 * generated cf_isa.h; its tables are generated from isa.toml.
 */
#ifndef CF_ISA_CODE_H
#define CF_ISA_CODE_H

#include <stddef.h>

enum cf_field_type {
   CF_FIELD_SRC,  /* operand of any kind */
   CF_FIELD_DST,  /* vector or scalar register */
   CF_FIELD_DSTV, /* vector register */
   CF_FIELD_DST4, /* four consecutive vector registers */
   CF_FIELD_UINT,
   CF_FIELD_HEX32,
   CF_FIELD_TARGET, /* index of an instruction */
   CF_FIELD_MASK4,  /* components x y z w: bits 0..3 */
   CF_FIELD_ENUM,
};

/* A field of a form: its position in the 64 bits and in struct cf_instr. */
struct cf_field_info {
   const char *name;
   enum cf_field_type type;
   uint8_t low, bits;
   uint8_t member, member_B; /* offset and size in struct cf_instr */
   const char *const *names; /* of an enum's values; NULL entries are undefined */
   unsigned count;
};

struct cf_form_info {
   const char *syntax;
   uint64_t reserved;
   unsigned field_count;
   struct cf_field_info fields[8];
};

struct cf_op_info {
   const char *name; /* NULL: the code is undefined */
   const char *doc;
   enum cf_form form;
   enum cf_op_class op_class;
   uint8_t sources; /* number of source operands: src[0 .. sources - 1] */
   char types[5]; /* ALU operations: result, then operands; f float, i signed, u unsigned or bits, b
                     boolean */
   bool has_dst;
   bool scalar_dst; /* the destination may be scalar (then no source is a vector) */
   bool cross_lane; /* reads other lanes of the quad */
   bool alu; /* the result depends on the sources alone (and on other lanes' if cross_lane) */
   /* it has a side effect visible outside its task: the number of executions matters */
   bool effect;
};

/* What the timing model knows of a class of operations (isa.toml). */
struct cf_op_class_info {
   const char *name;
   enum cf_op_unit unit;
   uint8_t passes;  /* of all lanes through the unit */
   uint8_t latency; /* cycles until the result can be used, without those of memory */
};

extern const struct cf_op_class_info cf_op_classes[CF_OP_CLASSES];
extern const struct cf_form_info cf_forms[];
extern const struct cf_op_info cf_ops[CF_OP_LIMIT];
extern const uint32_t cf_inline_floats[];
extern const unsigned cf_inline_float_count;

#define CF_INLINE_MINUS_1 64
#define CF_INLINE_FLOAT_0 80

/** Properties of an operation; NULL if the opcode is undefined. */
const struct cf_op_info *cf_op_info(unsigned op);

/** NULL, or why the instruction is invalid (a static string): undefined operation, a value that
 * does not fit its field, an undefined enum value or inline constant, a scalar destination that is
 * not allowed or has a vector source, a group of four registers past v127, an empty mask. */
const char *cf_instr_check(const struct cf_instr *instr);

/** The 64 bits of an instruction. It must pass cf_instr_check (assert). */
uint64_t cf_instr_encode(const struct cf_instr *instr);

/** Decode. False, with the reason in *error, if a reserved bit is set or cf_instr_check fails. */
bool cf_instr_decode(uint64_t code, struct cf_instr *instr, const char **error);

/** Whether the result can be a float. Booleans and integers would look like NaN. */
bool cf_instr_makes_float(const struct cf_instr *instr);

/** Bits of inline constant `index`; 0 if undefined. */
uint32_t cf_inline_value(unsigned index);

/** Index of the inline constant with these bits, -1 if there is none. */
int cf_inline_index(uint32_t value);

/** Whether the operation is control flow. */
static inline bool
cf_is_flow(enum cf_op op)
{
   const enum cf_form form = cf_op_info(op)->form;
   return form == CF_FORM_FLOW || form == CF_FORM_FLOW_TARGET || form == CF_FORM_FLOW_NONE;
}

/** The rows that an instruction writes: bit k for row k from its destination on. */
static inline unsigned
cf_written_rows(const struct cf_instr *instr)
{
   const struct cf_op_info *op = cf_op_info(instr->op);
   switch (op->form) {
   case CF_FORM_TEX:
      return instr->mask;
   case CF_FORM_LDF:
      return 15;
   case CF_FORM_OUT:
   case CF_FORM_GRAD:
      return 1;
   default:
      return op->has_dst;
   }
}

/* ---- modes of tex ---- */

/** Whether a mode of tex (enum cf_texmode) takes operands 6 and 7 of grad: modes come in pairs,
 * without and with them. */
static inline bool
cf_texmode_has_offsets(uint32_t mode)
{
   return mode & 1;
}

/** The mode without them. */
static inline uint32_t
cf_texmode_alone(uint32_t mode)
{
   return mode & ~1u;
}

/** The operands of grad that a mode takes, bit by number. */
static inline uint32_t
cf_tex_operands(uint32_t mode)
{
   return (cf_texmode_alone(mode) == CF_TEXMODE_GRAD ? 0x3f : 0) |
          (cf_texmode_has_offsets(mode) ? 0xc0 : 0);
}

#endif
