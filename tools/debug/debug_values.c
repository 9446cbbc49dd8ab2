/* SPDX-License-Identifier: MIT */
#include "debug_values.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clipfree/isa/cf_asm.h"
#include "clipfree/shader/cf_engine.h"
#include "clipfree/texture/cf_texture.h"

/* ------------------------------------------------------------------ text */

static float
float_of(uint32_t bits)
{
   float value;
   memcpy(&value, &bits, sizeof(value));
   return value;
}

void
debug_value_text(uint32_t bits, enum cf_note_scalar scalar, char text[DEBUG_VALUE_B])
{
   switch (scalar) {
   case CF_NOTE_FLOAT:
      if (isnan(float_of(bits))) { /* its sign and payload say nothing (docs/isa.md) */
         snprintf(text, DEBUG_VALUE_B, "nan");
         break;
      }
      for (int precision = 6; precision <= 9; precision++) {
         snprintf(text, DEBUG_VALUE_B, "%.*g", precision, (double)float_of(bits));
         if (strtof(text, NULL) == float_of(bits))
            break;
      }
      break;
   case CF_NOTE_INT:
      snprintf(text, DEBUG_VALUE_B, "%" PRId32, (int32_t)bits);
      break;
   case CF_NOTE_BOOL:
      snprintf(text, DEBUG_VALUE_B, "%s", bits ? "true" : "false");
      break;
   default:
      snprintf(text, DEBUG_VALUE_B, "%" PRIu32, bits);
   }
}

/* ------------------------------------------------------------------ reading */

/* Run a step of the program apart, in all lanes that the task began with. Returns component
 * `component` of what it writes in the view's lane. False: out of memory. */
static bool
run_apart(const struct debug_view *view, const struct cf_step *step, uint32_t component,
          uint32_t *bits)
{
   struct debug_state *copy = aligned_alloc(_Alignof(struct debug_state), sizeof(*copy));
   if (!copy)
      return false;
   memcpy(copy, view->task->now, sizeof(*copy));
   copy->task.scratch_dwords = 0;
   cf_shader_ops_base.begin(&copy->run, view->task->stage, &copy->task);
   copy->run.table[step->handler](&copy->run, step);
   *bits = cf_row(&copy->run, step->dst + (int32_t)(component * CF_ROW_B))[view->lane];
   free(copy);
   return true;
}

/* The first instruction of a kind with this index or slot. */
static const struct cf_step *
find_load(const struct cf_decoded *program, enum cf_op op, uint32_t index)
{
   for (unsigned pc = 0; pc < program->count; pc++) {
      const struct cf_instr *instr = &program->instrs[pc];
      if (instr->op == op && (op == CF_OP_LDF ? instr->slot : instr->index) == index)
         return &program->steps[pc];
   }
   return NULL;
}

static bool
read_varying(const struct debug_view *view, uint32_t dword, uint32_t *bits)
{
   const struct cf_step *load = find_load(view->task->program, CF_OP_LDVAR, dword);
   return load && run_apart(view, load, 0, bits);
}

static bool
read_attribute(const struct debug_view *view, uint32_t element, uint32_t component, uint32_t *bits)
{
   const struct cf_step *load = find_load(view->task->program, CF_OP_LDF, element);
   if (!load)
      return false;
   struct cf_step step = *load;
   step.src[0] = (int32_t)(offsetof(struct cf_task, sys) + CF_SYSVAL_VERTEX_ID * CF_ROW_B);
   return run_apart(view, &step, component, bits);
}

bool
debug_output_read(const struct debug_view *view, uint32_t index, uint32_t *bits)
{
   const struct debug_state *now = view->task->now;
   if (index >= CF_MAX_OUTPUTS || !(now->out[index] >> view->lane & 1))
      return false;
   *bits = now->task.out[index][view->lane];
   return true;
}

static bool
read_constant(const struct debug_view *view, uint32_t bank, uint32_t dword, uint32_t *bits)
{
   const struct cf_stage *stage = view->task->stage;
   if (bank >= CF_MAX_CONSTANT_BANKS || dword >= stage->constants[bank].dwords)
      return false;
   *bits = stage->constants[bank].data[dword];
   return true;
}

static bool
read_uniform(const struct debug_view *view, uint32_t dword, uint32_t *bits)
{
   return read_constant(view, 0, dword, bits);
}

/* The dwords of scratch that a variable takes. */
static uint32_t
local_dwords(const struct cf_note_variable *v)
{
   return v->elements * v->columns * v->rows;
}

/* Whether an instruction stores to the variable, at a constant address. */
static bool
stores_to(const struct cf_instr *instr, const struct cf_note_variable *v)
{
   return instr->op == CF_OP_STS && instr->src[0].kind == CF_KIND_INLINE &&
          cf_inline_value(instr->src[0].index) + instr->offset - v->place < local_dwords(v);
}

/* The position after the last assignment to a variable in the view's lane; 0: none so far. The
 * first store of all, at the program's start, only names it. Assignments to elements of arrays that
 * are chosen at run time do not count: such a variable counts as assigned from the start. */
static uint32_t
last_assigned(const struct debug_view *view, const struct cf_note_variable *v)
{
   const struct debug_task *task = view->task;
   uint32_t found = 0, stores = 0;
   for (uint32_t n = 0; n < task->at; n++) {
      const struct debug_step *step = &task->step[n];
      if (!(step->exec >> view->lane & 1) || !stores_to(&task->program->instrs[step->pc], v))
         continue;
      if (stores++)
         found = n + 1;
   }
   return found || v->elements > 1 ? found + 1 : 0;
}

static bool
read_local(const struct debug_view *view, const struct cf_note_variable *v, uint32_t dword,
           uint32_t *bits)
{
   const struct cf_task *task = &view->task->now->task;
   if (dword >= task->scratch_dwords || !last_assigned(view, v))
      return false;
   *bits = task->scratch[dword][view->lane];
   return true;
}

uint32_t
debug_variable_components(const struct debug_variable *variable)
{
   return variable->parts ? variable->parts
                          : variable->is.elements * variable->is.columns * variable->is.rows;
}

uint32_t
debug_variable_place(const struct debug_variable *variable, uint32_t component)
{
   const struct cf_note_variable *v = &variable->is;
   return variable->parts ? variable->place[component]
                          : v->place + component / v->rows * v->stride_dw + component % v->rows;
}

bool
debug_variable_read(const struct debug_view *view, const struct debug_variable *variable,
                    uint32_t component, uint32_t *bits)
{
   const struct cf_note_variable *v = &variable->is;
   const uint32_t vector = component / v->rows, row = component % v->rows;
   const uint32_t place = debug_variable_place(variable, component);
   if (variable->parts && place == DEBUG_NO_PLACE)
      return false;
   switch (variable->field) {
   case CF_NOTE_UNIFORM:
      return v->scalar != CF_NOTE_SAMPLER && read_uniform(view, place, bits);
   case CF_NOTE_BLOCK:
      return read_constant(view, place / CF_NOTE_BANK_DW, place % CF_NOTE_BANK_DW, bits);
   case CF_NOTE_INPUT:
      return read_varying(view, place, bits);
   case CF_NOTE_OUTPUT:
      return debug_output_read(view, CF_OUTPUT_VARYINGS + place, bits);
   case CF_NOTE_COLOR:
      return debug_output_read(view, place, bits);
   case CF_NOTE_LOCAL:
      return read_local(view, v, place, bits);
   case CF_NOTE_ATTRIBUTE:
      return read_attribute(view, v->place + vector, row, bits);
   default:
      return false;
   }
}

bool
debug_register_read(const struct debug_view *view, char kind, uint32_t index, uint32_t *bits)
{
   const struct debug_state *now = view->task->now;
   if (kind == 'u')
      return read_uniform(view, index, bits);
   const uint32_t *written = kind == 'v' ? now->vector : now->scalar;
   if (index >= CF_MAX_VECTOR_REGS || !(written[index] >> view->lane & 1))
      return false;
   *bits = (kind == 'v' ? now->task.v : now->task.s)[index][view->lane];
   return true;
}

/* ------------------------------------------------------------------ built-in variables */

struct builtin {
   const char *name;
   enum cf_shader_stage stage;
   enum cf_note_scalar scalar;
   uint32_t count;
   bool output;
   uint8_t place[4]; /* system values; of outputs the first alone */
};

static const struct builtin builtins[] = {
   { "gl_Position", CF_SHADER_STAGE_VERTEX, CF_NOTE_FLOAT, 4, true, { 0 } },
   { "gl_PointSize", CF_SHADER_STAGE_VERTEX, CF_NOTE_FLOAT, 1, true, { CF_OUTPUT_POINT_SIZE } },
   { "gl_VertexID", CF_SHADER_STAGE_VERTEX, CF_NOTE_INT, 1, false, { CF_SYSVAL_VERTEX_ID } },
   { "gl_InstanceID", CF_SHADER_STAGE_VERTEX, CF_NOTE_INT, 1, false, { CF_SYSVAL_INSTANCE_ID } },
   { "gl_FragColor", CF_SHADER_STAGE_FRAGMENT, CF_NOTE_FLOAT, 4, true, { 0 } },
   { "gl_FragData[1]", CF_SHADER_STAGE_FRAGMENT, CF_NOTE_FLOAT, 4, true, { 4 } },
   { "gl_FragData[2]", CF_SHADER_STAGE_FRAGMENT, CF_NOTE_FLOAT, 4, true, { 8 } },
   { "gl_FragData[3]", CF_SHADER_STAGE_FRAGMENT, CF_NOTE_FLOAT, 4, true, { 12 } },
   { "gl_FragDepth", CF_SHADER_STAGE_FRAGMENT, CF_NOTE_FLOAT, 1, true, { CF_OUTPUT_DEPTH } },
   { "gl_FragCoord",
     CF_SHADER_STAGE_FRAGMENT,
     CF_NOTE_FLOAT,
     4,
     false,
     { CF_SYSVAL_FRAG_X, CF_SYSVAL_FRAG_Y, CF_SYSVAL_FRAG_Z, CF_SYSVAL_FRAG_W } },
   { "gl_FrontFacing", CF_SHADER_STAGE_FRAGMENT, CF_NOTE_BOOL, 1, false, { CF_SYSVAL_FRONT_FACE } },
   { "gl_PointCoord",
     CF_SHADER_STAGE_FRAGMENT,
     CF_NOTE_FLOAT,
     2,
     false,
     { CF_SYSVAL_POINT_X, CF_SYSVAL_POINT_Y } },
};
#define BUILTINS (sizeof(builtins) / sizeof(builtins[0]))

/* Whether the program has it at all. */
static bool
has_builtin(const struct debug_view *view, const struct builtin *b)
{
   const struct cf_decoded *program = view->task->program;
   if (b->stage != program->info.stage)
      return false;
   if (!b->output)
      return program->info.sysvals >> b->place[0] & 1 ||
             (b->count > 1 && program->info.sysvals >> b->place[1] & 1);
   return find_load(program, CF_OP_OUTF, b->place[0]) || find_load(program, CF_OP_OUT, b->place[0]);
}

static bool
read_builtin(const struct debug_view *view, const struct builtin *b, uint32_t component,
             uint32_t *bits)
{
   if (b->output)
      return debug_output_read(view, b->place[0] + component, bits);
   if (!(view->task->program->info.sysvals >> b->place[component] & 1))
      return false;
   *bits = view->task->now->task.sys[b->place[component]][view->lane];
   return true;
}

bool
debug_builtin_read(const struct debug_view *view, const char *name, uint32_t component,
                   uint32_t *bits, uint32_t *count, enum cf_note_scalar *scalar)
{
   for (size_t i = 0; i < BUILTINS; i++) {
      const struct builtin *b = &builtins[i];
      if (strcmp(b->name, name) || !has_builtin(view, b))
         continue;
      *count = b->count;
      *scalar = b->scalar;
      return component < b->count && read_builtin(view, b, component, bits);
   }
   *count = 0;
   return false;
}

/* ------------------------------------------------------------------ JSON */

static json_t *
value_json(const char *name, const char *value, const char *type, const char *evaluate)
{
   return json_pack("{s:s, s:s, s:s, s:s}", "name", name, "value", value, "type", type, "evaluate",
                    evaluate);
}

/* Reads component i of what `user` is. */
typedef bool (*component_fn)(const struct debug_view *view, const void *user, uint32_t i,
                             uint32_t *bits);

static void
component_text(const struct debug_view *view, component_fn read, const void *user, uint32_t i,
               enum cf_note_scalar scalar, char text[DEBUG_VALUE_B])
{
   uint32_t bits;
   if (read(view, user, i, &bits))
      debug_value_text(bits, scalar, text);
   else
      snprintf(text, DEBUG_VALUE_B, "-");
}

/* A vector or scalar: components `first` and those after it. */
static json_t *
vector_json(const struct debug_view *view, component_fn read, const void *user, uint32_t first,
            uint32_t count, enum cf_note_scalar scalar, const char *name, const char *evaluate)
{
   static const char *const scalars[] = { "float", "int", "uint", "bool", "sampler" };
   static const char *const vectors[] = { "vec", "ivec", "uvec", "bvec", "" };
   char text[DEBUG_VALUE_B], all[DEBUG_PARTS * 16] = "", type[16], inner[160];
   json_t *children = json_array();
   snprintf(type, sizeof(type), count > 1 ? "%s%u" : "%s", (count > 1 ? vectors : scalars)[scalar],
            count);
   for (uint32_t i = 0; i < count; i++) {
      char letter[8] = { "xyzw"[i & 3], 0 };
      component_text(view, read, user, first + i, scalar, text);
      const size_t length = strlen(all);
      snprintf(all + length, sizeof(all) - length, "%s%s", i ? ", " : "", text);
      snprintf(inner, sizeof(inner), "%.150s.%s", evaluate, letter);
      if (count > 4) {
         snprintf(letter, sizeof(letter), "[%u]", i % 10000);
         snprintf(inner, sizeof(inner), "%.140s%s", evaluate, letter);
      }
      json_array_append_new(children, value_json(letter, text, scalars[scalar], inner));
   }
   if (count == 1) {
      json_decref(children);
      return value_json(name, all, type, evaluate);
   }
   char value[sizeof(all) + 4];
   snprintf(value, sizeof(value), "(%s)", all);
   json_t *json = value_json(name, value, type, evaluate);
   json_object_set_new(json, "children", children);
   return json;
}

static bool
variable_component(const struct debug_view *view, const void *user, uint32_t i, uint32_t *bits)
{
   return debug_variable_read(view, user, i, bits);
}

/* An element of a variable: a vector or a matrix. */
static json_t *
element_json(const struct debug_view *view, const struct debug_variable *v, uint32_t element,
             const char *name, const char *evaluate)
{
   const uint32_t rows = v->is.rows, columns = v->is.columns, first = element * columns * rows;
   char type[16], inner[160], value[160] = "";
   if (columns == 1)
      return vector_json(view, variable_component, v, first, rows, v->is.scalar, name, evaluate);
   json_t *children = json_array();
   for (uint32_t c = 0; c < columns; c++) {
      snprintf(inner, sizeof(inner), "%.140s[%u]", evaluate, c);
      json_t *column = vector_json(view, variable_component, v, first + c * rows, rows,
                                   v->is.scalar, strrchr(inner, '['), inner);
      const size_t length = strlen(value);
      snprintf(value + length, sizeof(value) - length, "%s%s", c ? " " : "",
               json_string_value(json_object_get(column, "value")));
      json_array_append_new(children, column);
   }
   snprintf(type, sizeof(type), columns == rows ? "mat%u" : "mat%ux%u", columns, rows);
   json_t *json = value_json(name, value, type, evaluate);
   json_object_set_new(json, "children", children);
   return json;
}

static json_t *
variable_json(const struct debug_view *view, const struct debug_variable *v)
{
   char value[24], inner[128];
   if (!v->array || v->parts)
      return element_json(view, v, 0, v->word, v->word);
   json_t *children = json_array();
   for (uint32_t e = 0; e < v->is.elements; e++) {
      snprintf(inner, sizeof(inner), "%s[%u]", v->word, e);
      json_array_append_new(children, element_json(view, v, e, strrchr(inner, '['), inner));
   }
   snprintf(value, sizeof(value), "%u elements", v->is.elements);
   json_t *json = value_json(v->word, value, "array", v->word);
   json_object_set_new(json, "children", children);
   return json;
}

static bool
builtin_component(const struct debug_view *view, const void *user, uint32_t i, uint32_t *bits)
{
   return read_builtin(view, user, i, bits);
}

/* Whether a built-in output has a name of the shader's own. */
static bool
is_declared(const struct debug_view *view, const struct builtin *b)
{
   for (uint32_t i = 0; i < view->program->variables; i++) {
      const struct debug_variable *v = &view->program->variable[i];
      if (b->output && v->field == CF_NOTE_COLOR && v->parts && v->place[0] / 4 == b->place[0] / 4)
         return true;
   }
   return false;
}

static void
add_builtins(json_t *values, const struct debug_view *view, bool output)
{
   for (size_t i = 0; i < BUILTINS; i++) {
      const struct builtin *b = &builtins[i];
      if (b->output == output && has_builtin(view, b) && !is_declared(view, b))
         json_array_append_new(values, vector_json(view, builtin_component, b, 0, b->count,
                                                   b->scalar, b->name, b->name));
   }
}

/* Whether another variable of the same name, of another call of the same function, or of another
 * block, was assigned later. */
static bool
is_hidden(const struct debug_view *view, const struct debug_variable *v)
{
   const uint32_t assigned = last_assigned(view, &v->is);
   for (uint32_t i = 0; i < view->program->variables; i++) {
      const struct debug_variable *other = &view->program->variable[i];
      if (other == v || other->field != CF_NOTE_LOCAL || strcmp(other->word, v->word))
         continue;
      const uint32_t later = last_assigned(view, &other->is);
      if (later > assigned || (later == assigned && other < v))
         return true;
   }
   return false;
}

const struct debug_variable *
debug_variable_find(const struct debug_view *view, const char *word)
{
   const struct debug_variable *found = NULL;
   for (uint32_t i = 0; i < view->program->variables; i++) {
      const struct debug_variable *v = &view->program->variable[i];
      const bool local = v->field == CF_NOTE_LOCAL;
      if (v->is.scalar == CF_NOTE_SAMPLER || strcmp(v->word, word))
         continue;
      if (local && !is_hidden(view, v) && last_assigned(view, &v->is))
         return v;
      if (!found || found->field == CF_NOTE_LOCAL)
         found = v;
   }
   return found;
}

static void
add_variables(json_t *values, const struct debug_view *view, enum cf_note_field field)
{
   for (uint32_t i = 0; i < view->program->variables; i++) {
      const struct debug_variable *v = &view->program->variable[i];
      if (v->field == field && v->is.scalar != CF_NOTE_SAMPLER &&
          (field != CF_NOTE_LOCAL || !is_hidden(view, v)))
         json_array_append_new(values, variable_json(view, v));
   }
}

/* ------------------------------------------------------------------ samplers */

static json_t *
sampler_json(const struct debug_view *view, uint32_t unit, const char *name)
{
   const struct cf_texture_unit *u =
      unit < view->task->stage->units ? view->task->stage->textures[unit] : NULL;
   char text[160];
   if (!u)
      return value_json(name, "no texture: samples are 0 0 0 1", "sampler", name);
   const struct cf_texture *t = &u->texture;
   const struct cf_texture_extent extent = cf_texture_extent(t);
   snprintf(text, sizeof(text), "unit %u: %s, %u x %u%s, levels %u to %u, %s, at 0x%" PRIx64, unit,
            cf_texture_kind_name(t->kind), extent.width_px, extent.height_px,
            t->samples > 1 ? ", 4 samples" : "", t->first_level, t->last_level,
            cf_format_name(t->format), t->address);
   json_t *json = value_json(name, text, "sampler", name);
   const struct cf_sampler *s = &u->sampler;
   json_t *children = json_array();
   json_array_append_new(children, value_json("wrap_s", cf_wrap_name(s->wrap_s), "", ""));
   json_array_append_new(children, value_json("wrap_t", cf_wrap_name(s->wrap_t), "", ""));
   json_array_append_new(children, value_json("min_filter", cf_filter_name(s->min_filter), "", ""));
   json_array_append_new(children, value_json("mag_filter", cf_filter_name(s->mag_filter), "", ""));
   json_array_append_new(children, value_json("mip_filter", cf_mip_name(s->mip_filter), "", ""));
   json_object_set_new(json, "children", children);
   return json;
}

static void
add_samplers(json_t *values, const struct debug_view *view)
{
   uint32_t named = 0;
   for (uint32_t i = 0; i < view->program->variables; i++) {
      const struct debug_variable *v = &view->program->variable[i];
      for (uint32_t e = 0; v->is.scalar == CF_NOTE_SAMPLER && e < v->is.elements; e++) {
         char name[DEBUG_WORD_B + 16];
         snprintf(name, sizeof(name), v->array ? "%s[%u]" : "%s", v->word, e);
         const uint32_t unit = v->is.place + e * v->is.stride_dw;
         json_array_append_new(values, sampler_json(view, unit, name));
         named |= unit < 32 ? 1u << unit : 0;
      }
   }
   for (uint32_t unit = 0; unit < view->task->stage->units; unit++) {
      char name[16];
      snprintf(name, sizeof(name), "unit %u", unit);
      if (!(named >> unit & 1))
         json_array_append_new(values, sampler_json(view, unit, name));
   }
}

/* ------------------------------------------------------------------ registers */

static json_t *
register_json(const char *name, uint32_t bits)
{
   char number[DEBUG_VALUE_B], text[DEBUG_VALUE_B + 16];
   debug_value_text(bits, CF_NOTE_FLOAT, number);
   snprintf(text, sizeof(text), "%s (0x%08" PRIx32 ")", number, bits);
   return value_json(name, text, "32 bits", name);
}

static void
add_registers(json_t *values, const struct debug_view *view, char kind, uint32_t count)
{
   for (uint32_t i = 0; i < count; i++) {
      char name[8];
      uint32_t bits;
      snprintf(name, sizeof(name), "%c%u", kind, i % 1000);
      if (debug_register_read(view, kind, i, &bits))
         json_array_append_new(values, register_json(name, bits));
   }
}

/* The position of the last run of an instruction before where the task stands, in the view's lane.
 * UINT32_MAX: none. */
static uint32_t
last_run(const struct debug_view *view, uint32_t pc)
{
   for (uint32_t n = view->task->at; n-- > 0;) {
      const struct debug_step *step = &view->task->step[n];
      if (step->pc == pc && step->exec >> view->lane & 1)
         return n;
   }
   return UINT32_MAX;
}

/* What an instruction left in registers that have not been written since. */
static void
add_result(json_t *values, const struct debug_view *view, uint32_t pc)
{
   const struct cf_instr *instr = &view->task->program->instrs[pc];
   char text[128], name[192];
   if (!cf_ops[instr->op].has_dst || last_run(view, pc) == UINT32_MAX)
      return;
   for (uint32_t c = 0; c < 4; c++) {
      uint32_t bits;
      if (!(cf_written_rows(instr) >> c & 1) ||
          !debug_register_read(view, instr->dst.kind == CF_KIND_S ? 's' : 'v', instr->dst.index + c,
                               &bits))
         continue;
      cf_disassemble_instr(instr, text, sizeof(text));
      snprintf(name, sizeof(name), "%c%u", instr->dst.kind == CF_KIND_S ? 's' : 'v',
               instr->dst.index + c);
      json_t *json = register_json(name, bits);
      snprintf(name, sizeof(name), "%u: %s", pc, text);
      json_object_set_new(json, "type", json_string(name));
      json_array_append_new(values, json);
   }
}

/* Whether `later` writes a register that `instr` wrote. */
static bool
writes_over(const struct cf_instr *later, const struct cf_instr *instr)
{
   if (!cf_ops[later->op].has_dst || later->dst.kind != instr->dst.kind)
      return false;
   for (uint32_t c = 0; c < 4; c++) {
      const uint32_t row = instr->dst.index + c - later->dst.index;
      if (cf_written_rows(instr) >> c & 1 && row < 4 && cf_written_rows(later) >> row & 1)
         return true;
   }
   return false;
}

/* Whether another instruction has replaced what this one wrote. */
static bool
is_replaced(const struct debug_view *view, uint32_t pc)
{
   const uint32_t from = last_run(view, pc);
   for (uint32_t n = from + 1; from != UINT32_MAX && n < view->task->at; n++) {
      const struct debug_step *step = &view->task->step[n];
      if (step->exec >> view->lane & 1 &&
          writes_over(&view->task->program->instrs[step->pc], &view->task->program->instrs[pc]))
         return true;
   }
   return false;
}

static void
add_results(json_t *values, const struct debug_view *view, const struct debug_line *line)
{
   for (uint32_t pc = 0; line->line && pc < view->program->instrs; pc++) {
      if (debug_program_has(view->program, pc, line) && !is_replaced(view, pc))
         add_result(values, view, pc);
   }
}

/* ------------------------------------------------------------------ groups */

const char *
debug_group_name(enum debug_group group, enum cf_shader_stage stage)
{
   static const char *const names[DEBUG_GROUPS] = {
      [DEBUG_LOCALS] = "Locals",        [DEBUG_RESULTS] = "Computed by this line",
      [DEBUG_INPUTS] = "Attributes",    [DEBUG_UNIFORMS] = "Uniforms",
      [DEBUG_SAMPLERS] = "Samplers",    [DEBUG_OUTPUTS] = "Outputs",
      [DEBUG_SYSTEM] = "System values", [DEBUG_REGISTERS] = "Registers",
   };
   return group == DEBUG_INPUTS && stage == CF_SHADER_STAGE_FRAGMENT ? "Varyings" : names[group];
}

json_t *
debug_values(const struct debug_view *view, enum debug_group group, const struct debug_line *line)
{
   const struct cf_program *info = &view->task->program->info;
   json_t *values = json_array();
   switch (group) {
   case DEBUG_LOCALS:
      add_variables(values, view, CF_NOTE_LOCAL);
      break;
   case DEBUG_RESULTS:
      add_results(values, view, line);
      break;
   case DEBUG_INPUTS:
      add_variables(values, view, CF_NOTE_ATTRIBUTE);
      add_variables(values, view, CF_NOTE_INPUT);
      break;
   case DEBUG_UNIFORMS:
      add_variables(values, view, CF_NOTE_UNIFORM);
      add_variables(values, view, CF_NOTE_BLOCK);
      break;
   case DEBUG_SAMPLERS:
      add_samplers(values, view);
      break;
   case DEBUG_OUTPUTS:
      add_builtins(values, view, true);
      add_variables(values, view, CF_NOTE_OUTPUT);
      add_variables(values, view, CF_NOTE_COLOR);
      break;
   case DEBUG_SYSTEM:
      add_builtins(values, view, false);
      break;
   case DEBUG_REGISTERS:
      add_registers(values, view, 'v', info->vector_regs);
      add_registers(values, view, 's', info->scalar_regs);
      break;
   }
   return values;
}
