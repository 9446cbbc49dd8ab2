/* SPDX-License-Identifier: MIT */
/*
 * What programs compute, as far as it can be seen from their instructions: functions of GLSL that
 * are several instructions are known by their shape, and by their line of GLSL.
 */
#include <ctype.h>
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clipfree/isa/cf_isa.h"
#include "clipfree/sanitize/cf_sane.h"
#include "clipfree/shader/cf_program_find.h"

/* ------------------------------------------------------------------ lines and names */

/* Source number `object` of a note. */
static const char *
source_of(const struct sane_note *note, uint32_t object)
{
   struct cf_note_part part;
   for (size_t at = 0; cf_note_next(note->bytes, note->size_B, &at, &part);) {
      if (part.field == CF_NOTE_SOURCE && object-- == 0)
         return part.text;
   }
   return NULL;
}

bool
sane_first_line(const struct sane_note *note, uint32_t instr, struct cf_note_line *line)
{
   struct cf_note_part part;
   for (size_t at = 0; note && cf_note_next(note->bytes, note->size_B, &at, &part);) {
      if (part.field != CF_NOTE_LINES)
         continue;
      for (uint32_t i = 0; i < part.count; i++) {
         *line = cf_note_line(&part, i);
         if (line->instr == instr)
            return true;
      }
   }
   return false;
}

static void
copy_line(const char *source, uint32_t number, char text[CF_SANITIZE_NAMES_B])
{
   text[0] = 0;
   for (; source && number > 1; number--) {
      source = strchr(source, '\n');
      source = source ? source + 1 : NULL;
   }
   if (!source)
      return;
   source += strspn(source, " \t");
   size_t length = strcspn(source, "\r\n");
   while (length && isspace((unsigned char)source[length - 1]))
      length--;
   snprintf(text, CF_SANITIZE_NAMES_B, "%.*s", (int)length, source);
}

void
sane_take_line(const struct sane_program *program, struct cf_sanitize_report *report)
{
   struct cf_note_line line;
   report->line = 0;
   report->line_text[0] = 0;
   snprintf(report->of_program, sizeof(report->of_program), "%s", sane_program_name(program));
   if (report->instr == CF_SANITIZE_NO_INSTR ||
       !sane_first_line(program->note, report->instr, &line))
      return;
   report->line = line.line;
   copy_line(source_of(program->note, line.object), line.text_line, report->line_text);
}

const char *
sane_program_name(const struct sane_program *program)
{
   const struct sane_note *note = program->note;
   struct cf_note_part part;
   for (size_t at = 0; note && cf_note_next(note->bytes, note->size_B, &at, &part);) {
      if (part.field == CF_NOTE_NAME)
         return part.text;
   }
   return "";
}

/* The name of a varying dword. */
static bool
varying_name(const struct sane_note *note, uint32_t place, char name[64])
{
   struct cf_note_part part;
   for (size_t at = 0; note && cf_note_next(note->bytes, note->size_B, &at, &part);) {
      const struct cf_note_variable *v = &part.variable;
      if (part.field != CF_NOTE_OUTPUT || place < v->place ||
          place - v->place >= v->elements * v->columns * (v->stride_dw ? v->stride_dw : 1))
         continue;
      const char *word = strrchr(part.text, ' ');
      word = word ? word + 1 : part.text;
      snprintf(name, 64, "varying %.*s", (int)strcspn(word, ",.~"), word);
      return true;
   }
   return false;
}

void
sane_output_name(const struct sane_program *program, uint32_t index, char name[64])
{
   if (program->info.stage == CF_SHADER_STAGE_FRAGMENT && index == CF_OUTPUT_DEPTH)
      snprintf(name, 64, "gl_FragDepth");
   else if (program->info.stage == CF_SHADER_STAGE_FRAGMENT)
      snprintf(name, 64, "colour %u, %s", index / 4,
               (const char *const[]){ "red", "green", "blue", "alpha" }[index % 4]);
   else if (index < 4)
      snprintf(name, 64, "gl_Position.%c", "xyzw"[index]);
   else if (index == CF_OUTPUT_POINT_SIZE)
      snprintf(name, 64, "gl_PointSize");
   else if (index < CF_OUTPUT_VARYINGS ||
            !varying_name(program->note, index - CF_OUTPUT_VARYINGS, name))
      snprintf(name, 64, "output %u", index);
}

/* Whether the line of an instruction calls a function. */
static bool
calls(const struct sane_program *program, uint32_t instr, const char *function)
{
   struct cf_sanitize_report report = { .instr = instr };
   const size_t length = strlen(function);
   sane_take_line(program, &report);
   for (const char *at = report.line_text; (at = strstr(at, function)); at += length) {
      const bool begins =
         at == report.line_text || !(isalnum((unsigned char)at[-1]) || at[-1] == '_');
      if (begins && at[length + strspn(at + length, " ")] == '(')
         return true;
   }
   return false;
}

/* ------------------------------------------------------------------ shapes */

static bool
same(struct cf_reg a, struct cf_reg b)
{
   return a.kind == b.kind && a.index == b.index && (a.kind == CF_KIND_V || a.kind == CF_KIND_S);
}

/* The first instruction after `from`, before control flow, that reads its result; count: none. */
static uint32_t
reader_of(const struct sane_program *program, uint32_t from)
{
   const struct cf_reg reg = program->code[from].dst;
   for (uint32_t i = from + 1; i < program->info.code_instrs; i++) {
      const struct cf_instr *instr = &program->code[i];
      for (uint32_t k = 0; k < cf_ops[instr->op].sources; k++) {
         if (same(instr->src[k], reg))
            return i;
      }
      if (cf_ops[instr->op].form == CF_FORM_FLOW ||
          (cf_ops[instr->op].has_dst && same(instr->dst, reg)))
         break;
   }
   return program->info.code_instrs;
}

/* pow(x, y) is exp2(y log2(x)). */
static bool
is_pow(const struct sane_program *program, uint32_t log2)
{
   const uint32_t count = program->info.code_instrs, product = reader_of(program, log2);
   if (product == count || program->code[product].op != CF_OP_FMUL)
      return false;
   const uint32_t power = reader_of(program, product);
   return power < count && program->code[power].op == CF_OP_FEXP2;
}

/* Whether the operand of an inversesqrt is a sum of squares: normalize(v) is v inversesqrt(v.v). */
static bool
is_normalize(const struct sane_program *program, uint32_t rsq)
{
   const struct cf_reg sum = program->code[rsq].src[0];
   for (uint32_t i = rsq; i-- > 0;) {
      const struct cf_instr *instr = &program->code[i];
      if (cf_ops[instr->op].form == CF_FORM_FLOW)
         return false;
      if (!cf_ops[instr->op].has_dst || !same(instr->dst, sum))
         continue;
      const bool square = same(instr->src[0], instr->src[1]);
      return square && (instr->op == CF_OP_FMAD || instr->op == CF_OP_FMUL) &&
             !calls(program, rsq, "inversesqrt");
   }
   return false;
}

/* Whether a text has a division of 1, as `1.0 / x`: the one that is compiled to a reciprocal. */
static bool
divides_one(const char *text)
{
   for (const char *slash = text; (slash = strchr(slash, '/')); slash++) {
      const char *end = slash;
      while (end > text && strchr(" .0", end[-1]))
         end--;
      if (end > text && end[-1] == '1')
         return true;
   }
   return false;
}

/* Whether a reciprocal is one that atan(y, x) takes by itself: it is of 0 where one of them is. */
static bool
is_of_atan(const struct sane_program *program, uint32_t at)
{
   struct cf_sanitize_report report = { .instr = at };
   sane_take_line(program, &report);
   return calls(program, at, "atan") && !divides_one(report.line_text);
}

/* What it is that a result that is not finite, of operands that are, comes from. */
static enum cf_sanitize_check
domain_of(const struct sane_program *program, uint32_t at)
{
   switch (program->code[at].op) {
   case CF_OP_FRCP:
      return is_of_atan(program, at) ? CF_SANITIZE_NAN : CF_SANITIZE_DIVISION;
   case CF_OP_FDIV:
      return CF_SANITIZE_DIVISION;
   case CF_OP_FRSQ:
      return calls(program, at, "normalize") || is_normalize(program, at) ? CF_SANITIZE_NORMALIZE
                                                                          : CF_SANITIZE_INVERSESQRT;
   case CF_OP_FSQRT:
      return CF_SANITIZE_SQRT;
   case CF_OP_FLOG2:
      return is_pow(program, at) ? CF_SANITIZE_POW : CF_SANITIZE_LOG;
   default:
      return CF_SANITIZE_NAN;
   }
}

static uint8_t
flags_of(const struct cf_instr *instr)
{
   switch (instr->op) {
   case CF_OP_FADD:
   case CF_OP_FSUB:
   case CF_OP_FMUL:
   case CF_OP_FMAD:
   case CF_OP_FMSUB:
   case CF_OP_FSUBM:
   case CF_OP_FDIV:
   case CF_OP_FRCP:
   case CF_OP_FRSQ:
   case CF_OP_FSQRT:
   case CF_OP_FEXP2:
   case CF_OP_FLOG2:
      return SANE_FLOAT;
   case CF_OP_UDIV:
   case CF_OP_UMOD:
   case CF_OP_IDIV:
   case CF_OP_IREM:
   case CF_OP_IMOD:
      return SANE_INTEGER;
   case CF_OP_FDDX:
   case CF_OP_FDDY:
   case CF_OP_FDDXC:
   case CF_OP_FDDYC:
      return SANE_QUAD;
   case CF_OP_TEX:
      return SANE_LOAD | SANE_QUAD;
   case CF_OP_LDU:
   case CF_OP_LDF:
   case CF_OP_LDS:
      return SANE_LOAD;
   case CF_OP_LDVAR:
      return SANE_FLOAT;
   case CF_OP_STS:
      return SANE_STORE;
   case CF_OP_OUT:
   case CF_OP_OUTF:
      return SANE_OUT;
   case CF_OP_KILL:
   case CF_OP_DEMOTE:
      return SANE_KILL;
   default:
      return 0;
   }
}

/* The dwords from the first of a variable to its last. */
static uint32_t
size_of(const struct cf_note_variable *v)
{
   return (v->elements * v->columns - 1) * v->stride_dw + v->rows;
}

/* The integer of an inline constant that is one of 0 to 63; of other operands 0. */
static uint32_t
inline_integer(struct cf_reg reg)
{
   return reg.kind == CF_KIND_INLINE && reg.index < 64 ? reg.index : 0;
}

/* What is added to an index in the instruction that makes it: the place of its array. */
static uint32_t
added_to(const struct sane_program *program, uint32_t load)
{
   const struct cf_reg index = program->code[load].src[0];
   for (uint32_t i = load; i-- > 0;) {
      const struct cf_instr *instr = &program->code[i];
      if (cf_ops[instr->op].form == CF_FORM_FLOW)
         return 0;
      if (!cf_ops[instr->op].has_dst || !same(instr->dst, index))
         continue;
      if (instr->op == CF_OP_IADD)
         return inline_integer(instr->src[0]) + inline_integer(instr->src[1]);
      return instr->op == CF_OP_IMAD ? inline_integer(instr->src[2]) : 0;
   }
   return 0;
}

/* Dwords of what a load with an index is of, as the compiler knew it: a whole array of arrays or of
 * structs. Captures of before notes had arrays: the place for index 0, which is another array's
 * where a constant was subtracted from the index; end_dw is 0 then. */
static struct cf_note_array
array_of(const struct sane_program *program, uint32_t load)
{
   struct cf_note_part part;
   for (size_t at = 0;
        program->note && cf_note_next(program->note->bytes, program->note->size_B, &at, &part);) {
      for (uint32_t i = 0; part.field == CF_NOTE_ARRAYS && i < part.count; i++) {
         const struct cf_note_array array = cf_note_array(&part, i);
         if (array.instr == load)
            return array;
      }
   }
   return (struct cf_note_array){ .instr = load,
                                  .first_dw =
                                     program->code[load].offset + added_to(program, load) };
}

/* The uniform array that a load with an index is of. Of an array of arrays each inner one is a
 * uniform, and the index is that of all. */
static void
find_array(const struct sane_program *program, uint32_t load)
{
   struct sane_instr *instr = &program->instr[load];
   const struct cf_note_array array = array_of(program, load);
   struct cf_note_part part;
   for (size_t at = 0; program->note && program->code[load].bank == 0 &&
                       cf_note_next(program->note->bytes, program->note->size_B, &at, &part);) {
      const struct cf_note_variable *v = &part.variable;
      if (part.field != CF_NOTE_UNIFORM || v->scalar == CF_NOTE_SAMPLER ||
          v->elements * v->columns < 2 || array.first_dw - v->place >= size_of(v))
         continue;
      instr->first_dw = v->place;
      instr->end_dw = v->place + size_of(v);
      if (array.end_dw > instr->end_dw)
         instr->end_dw = array.end_dw;
      instr->stride_dw = v->stride_dw ? v->stride_dw : 1;
   }
}

/* What GLSL ES 1.00, 4.5.2, demands: mediump reaches to 2^14, lowp to 2. */
static void
take_precisions(struct sane_program *program)
{
   static const float most[] = { [CF_NOTE_MEDIUMP] = 0x1p14f, [CF_NOTE_LOWP] = 2.0f };
   const struct sane_note *note = program->note;
   struct cf_note_part part;
   for (size_t at = 0; note && cf_note_next(note->bytes, note->size_B, &at, &part);) {
      if (part.field != CF_NOTE_PRECISIONS || part.count != program->info.code_instrs)
         continue;
      for (uint32_t i = 0; i < part.count; i++) {
         const uint8_t precision = part.table[i];
         if (precision != CF_NOTE_MEDIUMP && precision != CF_NOTE_LOWP)
            continue;
         program->instr[i].flags |= SANE_RANGE;
         program->instr[i].most = most[precision];
      }
   }
}

/* The sources of an instruction that lie where its result does. */
static uint8_t
overwritten_by(const struct cf_instr *instr)
{
   const struct cf_op_info *op = &cf_ops[instr->op];
   const uint32_t rows = op->form == CF_FORM_TEX || op->form == CF_FORM_LDF ? 4 : 1;
   uint8_t sources = 0;
   for (uint32_t k = 0; op->has_dst && k < op->sources; k++) {
      const struct cf_reg reg = instr->src[k];
      if (reg.kind == instr->dst.kind && (uint32_t)(reg.index - instr->dst.index) < rows)
         sources |= (uint8_t)(1 << k);
   }
   return sources;
}

static void
look_at(struct sane_program *program)
{
   for (uint32_t i = 0; i < program->info.code_instrs; i++) {
      const struct cf_instr *instr = &program->code[i];
      program->instr[i] = (struct sane_instr){
         .flags = flags_of(instr),
         .domain = (uint8_t)domain_of(program, i),
         .rows = cf_ops[instr->op].has_dst ? (uint8_t)cf_written_rows(instr) : 0,
         .overwritten = overwritten_by(instr),
         .most = FLT_MAX,
      };
      if (instr->op == CF_OP_LDU)
         find_array(program, i);
      if (instr->op == CF_OP_TEX)
         program->units |= 1u << instr->unit;
   }
}

/* ------------------------------------------------------------------ programs */

void
sane_program_free(struct sane_program *program)
{
   free(program->code);
   free(program->instr);
   free(program->place);
   free(program->print);
   for (struct sane_unset *u = program->unset, *next; u; u = next) {
      next = u->next;
      free(u);
   }
   free(program);
}

static bool
decode(struct sane_program *program, const uint64_t *code)
{
   const char *error;
   for (uint32_t i = 0; i < program->info.code_instrs; i++) {
      if (!cf_instr_decode(code[i], &program->code[i], &error))
         return false;
   }
   return true;
}

static struct sane_program *
make_program(const struct cf_program *info, const uint64_t *code)
{
   struct sane_program *program = calloc(1, sizeof(*program));
   if (!program)
      return NULL;
   program->info = *info;
   program->code = calloc(info->code_instrs, sizeof(*program->code));
   program->instr = calloc(info->code_instrs, sizeof(*program->instr));
   program->place = calloc((size_t)info->code_instrs * CF_SANITIZE_COUNT, sizeof(*program->place));
   if (program->code && program->instr && program->place && decode(program, code))
      return program;
   sane_program_free(program);
   return NULL;
}

struct sane_program *
sane_program_at(struct cf_sanitize *s, const struct cf_memory *memory, uint64_t descriptor)
{
   struct cf_found_program found;
   if (!cf_program_find(memory, descriptor, &found))
      return NULL;
   const struct sane_note *note = sane_note_at(s, descriptor);
   for (struct sane_program *p = s->programs; p; p = p->next) {
      if (p->descriptor == descriptor && p->code_hash == found.hash && p->note == note)
         return p;
   }
   struct sane_program *program = make_program(&found.info, found.code);
   if (!program)
      return NULL;
   program->descriptor = descriptor;
   program->code_hash = found.hash;
   program->note = note;
   look_at(program);
   sane_find_prints(program);
   if (sane_checks(s, CF_SANITIZE_MEDIUMP))
      take_precisions(program);
   program->next = s->programs;
   s->programs = program;
   return program;
}
