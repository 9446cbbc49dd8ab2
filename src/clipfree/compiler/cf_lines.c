/* SPDX-License-Identifier: MIT */
/*
 * Lines of the source. NIR's instructions, ifs and loops bear those that they are made from, and
 * passes keep them. What is left without one after NIR's passes takes them from the data flow.
 */
#include "cf_from_nir.h"

#include <stdlib.h>

#include "util/u_math.h"

/* ---- instructions without lines */

/* Whether a value is a constant or a uniform. In NIR one instruction makes it for all lines that
 * use it, so its lines say least. */
static bool
is_constant(const nir_src *src)
{
   const nir_instr *instr = src->ssa->parent_instr;
   return instr->type == nir_instr_type_load_const || instr->type == nir_instr_type_undef ||
          (instr->type == nir_instr_type_intrinsic &&
           nir_instr_as_intrinsic((nir_instr *)instr)->intrinsic == nir_intrinsic_load_ubo);
}

uint32_t
cf_phi_source_lines(const nir_phi_instr *phi, const nir_phi_src *src)
{
   if (src->lines)
      return nir_lines_alone(src->lines);
   return is_constant(&src->src) ? phi->instr.lines : src->src.ssa->parent_instr->lines;
}

struct taken {
   bool constants;
   uint32_t lines;
};

static bool
take_lines(nir_src *src, void *user)
{
   struct taken *taken = user;
   if (is_constant(src) == taken->constants)
      taken->lines = nir_lines_merge(taken->lines, nir_lines_alone(src->ssa->parent_instr->lines));
   return true;
}

/* A phi has those of the assignments that it chooses from. */
static uint32_t
lines_of_sources(nir_instr *instr, bool constants)
{
   struct taken taken = { .constants = constants };
   if (instr->type == nir_instr_type_phi) {
      nir_foreach_phi_src(src, nir_instr_as_phi(instr)) taken.lines =
         nir_lines_merge(taken.lines, nir_lines_alone(src->lines));
   }
   nir_foreach_src(instr, take_lines, &taken);
   return taken.lines;
}

static uint32_t
lines_of_uses(nir_def *def)
{
   uint32_t lines = 0;
   nir_foreach_use_including_if(use, def)
      lines = nir_lines_merge(lines, nir_lines_alone(nir_src_is_if(use)
                                                        ? nir_src_parent_if(use)->lines
                                                        : nir_src_parent_instr(use)->lines));
   return lines;
}

/* Whether a store only names a variable for debuggers (gl_nir_keep_variables): no line made it. */
static bool
names_variable(const nir_instr *instr)
{
   if (instr->type != nir_instr_type_intrinsic)
      return false;
   const nir_intrinsic_instr *intrinsic = nir_instr_as_intrinsic((nir_instr *)instr);
   return intrinsic->intrinsic == nir_intrinsic_store_scratch && intrinsic->name;
}

static void
fill_from_sources(nir_function_impl *impl, bool constants)
{
   nir_foreach_block(block, impl) {
      nir_foreach_instr(instr, block) {
         if (!instr->lines && !names_variable(instr))
            instr->lines = lines_of_sources(instr, constants);
      }
      nir_if *nif = nir_block_get_following_if(block);
      if (nif && !nif->lines)
         nif->lines = nir_lines_alone(nif->condition.ssa->parent_instr->lines);
   }
}

static void
fill_loop(nir_loop *loop)
{
   nir_instr *first = nir_block_first_instr(nir_loop_first_block(loop));
   if (!loop->lines && first)
      loop->lines = nir_lines_alone(first->lines);
}

static void
fill_from_uses(nir_function_impl *impl)
{
   nir_foreach_block_reverse(block, impl) {
      nir_foreach_instr_reverse(instr, block) {
         nir_def *def = nir_instr_def(instr);
         if (!instr->lines && def)
            instr->lines = lines_of_uses(def);
      }
      nir_loop *loop = nir_block_get_following_loop(block);
      if (loop)
         fill_loop(loop);
   }
}

void
cf_fill_lines(nir_function_impl *impl)
{
   fill_from_sources(impl, false);
   fill_from_uses(impl);
   fill_from_sources(impl, true);
}

/* ---- the table */

/* What a position stands for: the last mark before it counts. */
static bool
find_line(const nir_shader *nir, uint32_t position, struct cf_note_line *line)
{
   const struct nir_line_mark *mark = NULL;
   for (unsigned i = 0; i < nir->line_mark_count && nir->line_marks[i].first <= position; i++)
      mark = &nir->line_marks[i];
   if (!position || !mark || mark->object > UINT16_MAX)
      return false;
   line->object = mark->object;
   line->string = MIN2(mark->string, UINT16_MAX);
   line->line = mark->line + (position - mark->first);
   line->text_line = mark->text_line + (position - mark->first);
   return true;
}

static void
add_line(const nir_shader *nir, uint32_t instr, uint32_t position, struct cf_binary *binary)
{
   struct cf_note_line line = { .instr = instr };
   if (find_line(nir, position, &line))
      binary->lines[binary->line_count++] = line;
}

void
cf_describe_lines(const struct cf_ir *ir, const struct nir_shader *nir, struct cf_binary *binary)
{
   if (nir->line_mark_count == 0)
      return;
   binary->lines = malloc(2 * ir->count * sizeof(*binary->lines));
   for (unsigned i = 0; binary->lines && i < ir->count; i++) {
      const uint32_t lines = nir_lines_alone(ir->instrs[i].from.lines);
      add_line(nir, i, lines & 0xffff, binary);
      if (lines >> 16 != (lines & 0xffff))
         add_line(nir, i, lines >> 16, binary);
   }
}

/* ---- precisions */

static enum cf_note_precision
precision_of(uint32_t position)
{
   return position & NIR_LINE_MEDIUMP ? CF_NOTE_MEDIUMP
          : position & NIR_LINE_LOWP  ? CF_NOTE_LOWP
                                      : CF_NOTE_HIGHP;
}

void
cf_describe_precisions(const struct cf_ir *ir, struct cf_binary *binary)
{
   bool any = false;
   binary->precisions = calloc(ir->count, sizeof(*binary->precisions));
   for (unsigned i = 0; binary->precisions && i < ir->count; i++) {
      const uint32_t lines = ir->instrs[i].from.lines, second = lines >> 16;
      const enum cf_note_precision first = precision_of(lines & 0xffff);
      binary->precisions[i] = second ? MIN2(first, precision_of(second)) : first;
      any |= binary->precisions[i] != CF_NOTE_HIGHP;
   }
   if (!any) {
      free(binary->precisions);
      binary->precisions = NULL;
   }
}

void
cf_describe_arrays(const struct cf_ir *ir, struct cf_binary *binary)
{
   binary->arrays = malloc(ir->count * sizeof(*binary->arrays));
   for (unsigned i = 0; binary->arrays && i < ir->count; i++) {
      const struct cf_ir_instr *instr = &ir->instrs[i];
      if (instr->op == CF_OP_LDU && instr->bank == 0 && instr->array.end_dw)
         binary->arrays[binary->array_count++] =
            (struct cf_note_array){ i, instr->array.first_dw, instr->array.end_dw };
   }
}

void
cf_describe_nir(const struct cf_ir *ir, struct cf_binary *binary)
{
   binary->nir_lines = malloc(ir->count * sizeof(*binary->nir_lines));
   for (unsigned i = 0; binary->nir_lines && i < ir->count; i++)
      binary->nir_lines[i] = ir->instrs[i].from.nir;
}
