/* SPDX-License-Identifier: MIT */
#include "clipfree_notes.h"

#include <stdlib.h>
#include <string.h>

#include "compiler/nir/nir_builder.h"
#include "pipe/p_context.h"
#include "util/hash_table.h"
#include "util/ralloc.h"
#include "util/u_atomic.h"
#include "util/u_memory.h"

#include "clipfree_context.h"
#include "clipfree_screen.h"
#include "clipfree_shader_log.h"
#include "clipfree_filled.h"

/* What GL knows of programs, by stage and NIR's name. */
struct cf_program_notes {
   simple_mtx_t lock;
   struct hash_table *by_name; /* -> struct cf_note */
   uint32_t links;             /* so far; variants noted before the last one are noted again */
};

/* ------------------------------------------------------------------ programs */

static void
cf_note_link(struct cf_program_notes *programs, const char *name, const void *fields,
             uint32_t size_B)
{
   simple_mtx_lock(&programs->lock);
   struct hash_entry *entry = _mesa_hash_table_search(programs->by_name, name);
   struct cf_note *note = entry ? entry->data : rzalloc(programs->by_name, struct cf_note);
   if (!entry)
      _mesa_hash_table_insert(programs->by_name, ralloc_strdup(programs->by_name, name), note);
   cf_note_free(note);
   cf_note_add_fields(note, fields, size_B);
   programs->links++;
   simple_mtx_unlock(&programs->lock);
}

/* Components of an input or output that have a name: an attribute, a fragment shader's output, or a
 * varying of a program with transform feedback, which stay as they are; or one component of any
 * other varying. Mesa packs those
 * of several variables into one slot, drops what is not read, and may compute in the vertex shader
 * what the fragment shader does. */
struct cf_named_slot {
   /* a component's: "way@12f", component 1 of a vec2
    * (nir-names-of-varyings-stay-with-their-components.patch) */
   const char *name;
   unsigned slot;       /* vertex element, or VARYING_SLOT_* */
   unsigned components; /* mask */
   bool is_input;
   nir_alu_type type;
};

#define CF_MAX_NAMED_SLOTS 128

struct cf_named_slots {
   struct cf_named_slot slot[CF_MAX_NAMED_SLOTS];
   unsigned count;
};

static void
cf_add_named(struct cf_named_slots *slots, const struct cf_named_slot *added)
{
   for (unsigned i = 0; i < slots->count; i++) {
      struct cf_named_slot *slot = &slots->slot[i];
      if (slot->slot == added->slot && slot->is_input == added->is_input &&
          (strchr(added->name, '@') ? slot->components == added->components
                                    : !strcmp(slot->name, added->name))) {
         slot->components |= added->components;
         return;
      }
   }
   if (slots->count < CF_MAX_NAMED_SLOTS)
      slots->slot[slots->count++] = *added;
}

/* Add the components that the names of an instruction tell: "way@12f", if it has one component;
 * "way@12f3,far@01f0", components 3 and 0 of the slot, if it has several. */
static void
cf_add_components(struct cf_named_slots *slots, const nir_intrinsic_instr *intrinsic,
                  struct cf_named_slot found)
{
   for (const char *name = intrinsic->name; *name;) {
      const size_t length = strcspn(name, ",");
      const char *at = memchr(name, '@', length);
      const unsigned told = at ? length - (at - name) : 0;
      found.name = name;
      if (told == 5 && found.components & BITFIELD_BIT((at[4] - '0') & 3))
         cf_add_named(slots, &(struct cf_named_slot){
                                .name = name,
                                .slot = found.slot,
                                .components = BITFIELD_BIT((at[4] - '0') & 3),
                                .is_input = found.is_input,
                             });
      else if (told == 4 && util_bitcount(found.components) == 1)
         cf_add_named(slots, &found);
      name += length + (name[length] == ',');
   }
}

/* Whether it stores an output that a person declared, by a name of its own. Of two for one color
 * target the first counts. */
static bool
cf_stores_color(const nir_intrinsic_instr *intrinsic)
{
   const nir_io_semantics io = nir_intrinsic_io_semantics(intrinsic);
   return io.location >= FRAG_RESULT_DATA0 && !io.dual_source_blend_index &&
          strncmp(intrinsic->name, "gl_", 3);
}

/* Find the slot that an instruction loads or stores, if it has a name. */
static bool
cf_find_named(struct nir_builder *b, nir_intrinsic_instr *intrinsic, void *data)
{
   const bool vertex = b->shader->info.stage == MESA_SHADER_VERTEX,
              fragment = b->shader->info.stage == MESA_SHADER_FRAGMENT;
   const bool store = intrinsic->intrinsic == nir_intrinsic_store_output;
   const bool load = intrinsic->intrinsic == nir_intrinsic_load_input ||
                     intrinsic->intrinsic == nir_intrinsic_load_interpolated_input ||
                     intrinsic->intrinsic == nir_intrinsic_load_per_vertex_input;
   nir_src *offset = store || load ? nir_get_io_offset_src(intrinsic) : NULL;
   if (!offset || !intrinsic->name || !nir_src_is_const(*offset) ||
       (store && fragment && !cf_stores_color(intrinsic)))
      return false;
   const unsigned first = vertex && load ? nir_intrinsic_base(intrinsic)
                                         : nir_intrinsic_io_semantics(intrinsic).location;
   const unsigned components =
      store ? nir_intrinsic_write_mask(intrinsic) : BITFIELD_MASK(intrinsic->def.num_components);
   const struct cf_named_slot found = {
      .name = intrinsic->name,
      .slot = first + nir_src_as_uint(*offset),
      .components = components << nir_intrinsic_component(intrinsic),
      .is_input = load,
      .type = store ? nir_intrinsic_src_type(intrinsic) : nir_intrinsic_dest_type(intrinsic),
   };
   if (strchr(intrinsic->name, '@'))
      cf_add_components(data, intrinsic, found);
   else if ((vertex && load) || (fragment && store) || b->shader->xfb_info)
      cf_add_named(data, &found);
   return false;
}

/* Note a component: "out vec2 way.y", "in float far"; "out float way~" is a value that Mesa
 * computes from way in the vertex shader, instead of in the fragment shader. */
static void
cf_note_component(struct cf_note *note, enum cf_note_field field, const struct cf_named_slot *slot,
                  unsigned place)
{
   const char *at = strchr(slot->name, '@'), *way = field == CF_NOTE_OUTPUT ? "out" : "in";
   const unsigned component = (at[1] - '0') & 3, rows = at[2] - '0';
   const int length = at - slot->name;
   const struct cf_note_variable variable = {
      .place = place,
      .stride_dw = 1,
      .elements = 1,
      .scalar = at[3] == 'i'   ? CF_NOTE_INT
                : at[3] == 'u' ? CF_NOTE_UINT
                               : CF_NOTE_FLOAT,
      .rows = 1,
      .columns = 1,
   };
   static const char *const scalars[] = { "float", "int", "uint" }, *const vectors[] = { "", "i",
                                                                                         "u" };
   char text[256];
   if (at[3] == 'm')
      snprintf(text, sizeof(text), "%s float %.*s~", way, length, slot->name);
   else if (rows > 1)
      snprintf(text, sizeof(text), "%s %svec%u %.*s.%c", way, vectors[variable.scalar], rows,
               length, slot->name, "xyzw"[component]);
   else
      snprintf(text, sizeof(text), "%s %s %.*s", way, scalars[variable.scalar], length, slot->name);
   cf_note_add_variable(note, field, &variable, text);
}

static void
cf_note_named(struct cf_note *note, enum cf_note_field field, const struct cf_named_slot *slot,
              unsigned place)
{
   static const char *const types[][4] = { { "float", "vec2", "vec3", "vec4" },
                                           { "int", "ivec2", "ivec3", "ivec4" },
                                           { "uint", "uvec2", "uvec3", "uvec4" } };
   const nir_alu_type base = nir_alu_type_get_base_type(slot->type);
   const unsigned rows = CLAMP(util_bitcount(slot->components), 1, 4);
   const struct cf_note_variable variable = {
      .place = place,
      .stride_dw = 4,
      .elements = 1,
      .scalar = base == nir_type_int    ? CF_NOTE_INT
                : base == nir_type_uint ? CF_NOTE_UINT
                                        : CF_NOTE_FLOAT,
      .rows = rows,
      .columns = 1,
   };
   char text[256];
   if (strchr(slot->name, '@')) {
      cf_note_component(note, field, slot, place);
      return;
   }
   snprintf(text, sizeof(text), "%s %s %s", slot->is_input ? "in" : "out",
            types[variable.scalar][rows - 1],
            strncmp(slot->name, "packed:", 7) ? slot->name : slot->name + 7);
   cf_note_add_variable(note, field, &variable, text);
}

/* Note a variable that lies in scratch: a store names it (gl_nir_keep_variables). */
static bool
cf_note_local(struct nir_builder *b, nir_intrinsic_instr *intrinsic, void *data)
{
   unsigned rows, columns, elements, scalar;
   int text = 0;
   (void)b;
   if (intrinsic->intrinsic != nir_intrinsic_store_scratch || !intrinsic->name ||
       !nir_src_is_const(intrinsic->src[1]) ||
       sscanf(intrinsic->name, "%u %u %u %u %n", &rows, &columns, &elements, &scalar, &text) != 4)
      return false;
   const struct cf_note_variable variable = {
      .place = nir_src_as_uint(intrinsic->src[1]) / 4,
      .stride_dw = rows,
      .elements = elements,
      .scalar = scalar,
      .rows = rows,
      .columns = columns,
   };
   cf_note_add_variable(data, CF_NOTE_LOCAL, &variable, intrinsic->name + text);
   return false;
}

/* Note prints and assertions, whose values lie at the start of scratch (gl_nir_place_prints). */
static void
cf_note_prints(struct cf_note *note, const nir_shader *nir)
{
   uint32_t place = 0;
   for (unsigned i = 0; i < nir->printf_info_count; i++) {
      const struct cf_note_print print = { place, nir->printf_info[i].arg_sizes[0] / 4 };
      cf_note_add_print(note, &print, nir->printf_info[i].strings);
      place += print.dwords;
   }
}

/* Note a fragment program's output; of an array, whose elements have one name, nothing. */
static void
cf_note_color(struct cf_note *note, const struct cf_named_slots *named,
              const struct cf_named_slot *slot)
{
   bool alone = true;
   for (unsigned i = 0; i < named->count; i++)
      alone &= named->slot[i].is_input || named->slot[i].slot == slot->slot ||
               strcmp(named->slot[i].name, slot->name);
   if (alone)
      cf_note_named(note, CF_NOTE_COLOR, slot,
                    4 * (slot->slot - FRAG_RESULT_DATA0) + ffs(slot->components) - 1);
}

/* Inputs and outputs that the program has. */
static void
cf_note_interface(struct cf_note *note, nir_shader *nir, const struct cf_binary *binary)
{
   struct cf_named_slots named = { 0 };
   const bool vertex = nir->info.stage == MESA_SHADER_VERTEX,
              geometry = nir->info.stage == MESA_SHADER_GEOMETRY;
   nir_shader_intrinsics_pass(nir, cf_find_named, nir_metadata_all, &named);
   for (unsigned i = 0; i < named.count; i++) {
      const struct cf_named_slot *slot = &named.slot[i];
      if (vertex && slot->is_input)
         cf_note_named(note, CF_NOTE_ATTRIBUTE, slot, slot->slot);
      if (nir->info.stage == MESA_SHADER_FRAGMENT && !slot->is_input) {
         cf_note_color(note, &named, slot);
         continue;
      }
      const bool of_inputs = geometry && slot->is_input;
      const uint8_t *location = of_inputs ? binary->input_location : binary->location;
      const unsigned slots = of_inputs ? binary->input_slots : binary->varying_slots;
      for (unsigned k = 0; k < slots && !(vertex && slot->is_input); k++) {
         if (location[k] == slot->slot)
            cf_note_named(note, slot->is_input ? CF_NOTE_INPUT : CF_NOTE_OUTPUT, slot,
                          4 * k + ffs(slot->components) - 1);
      }
   }
}

/* The lock of screen->notes is held. */
static struct cf_note
cf_describe_binary(struct cf_screen *screen, const struct cf_shader_object *shader,
                   const struct cf_binary *binary)
{
   struct cf_program_notes *programs = screen->notes;
   nir_shader *nir = shader->nir;
   struct cf_note note = { 0 };
   char name[64];

   if (nir->info.name)
      cf_note_add_text(&note, CF_NOTE_NAME, nir->info.name, strlen(nir->info.name));
   snprintf(name, sizeof(name), "%u %s", (unsigned)nir->info.stage,
            nir->info.name ? nir->info.name : "");
   const struct hash_entry *entry = _mesa_hash_table_search(programs->by_name, name);
   const struct cf_note *linked = entry ? entry->data : NULL;
   if (linked)
      cf_note_add_fields(&note, linked->data, linked->size_B);
   cf_note_interface(&note, nir, binary);
   nir_shader_intrinsics_pass(nir, cf_note_local, nir_metadata_all, &note);
   cf_note_prints(&note, nir);
   if (binary->line_count > 0)
      cf_note_add_lines(&note, binary->lines, binary->line_count);
   if (binary->array_count > 0)
      cf_note_add_arrays(&note, binary->arrays, binary->array_count);
   if (binary->nir && binary->nir_lines) {
      cf_note_add_text(&note, CF_NOTE_NIR, binary->nir, strlen(binary->nir));
      cf_note_add_nir_lines(&note, binary->nir_lines, binary->program.code_instrs);
   }
   if (binary->precisions)
      cf_note_add_precisions(&note, binary->precisions, binary->program.code_instrs);
   return note;
}

struct cf_note
cf_note_of_binary(struct cf_screen *screen, const struct cf_shader_object *shader,
                  const struct cf_binary *binary)
{
   struct cf_program_notes *programs = screen->notes;
   if (!programs)
      return (struct cf_note){ 0 };
   simple_mtx_lock(&programs->lock);
   const struct cf_note note = cf_describe_binary(screen, shader, binary);
   simple_mtx_unlock(&programs->lock);
   return note;
}

static void
cf_note_variant(struct cf_screen *screen, const struct cf_shader_object *shader,
                const struct cf_variant *variant)
{
   struct cf_note note = cf_describe_binary(screen, shader, variant->binary);
   screen->gpu->ops->note(screen->gpu, variant->buffer->bo.address, note.data, note.size_B);
   cf_note_free(&note);
}

static void
cf_note_shader(struct cf_screen *screen, struct cf_shader_object *shader)
{
   struct cf_program_notes *programs = screen->notes;

   simple_mtx_lock(&shader->lock);
   simple_mtx_lock(&programs->lock);
   for (struct cf_variant *v = shader->variants; v; v = v->next) {
      if (v->noted != programs->links + 1)
         cf_note_variant(screen, shader, v);
      v->noted = programs->links + 1;
   }
   simple_mtx_unlock(&programs->lock);
   simple_mtx_unlock(&shader->lock);
}

/* ------------------------------------------------------------------ draws */

/* The address of the packet recorded last, if that is a draw; 0: it is none. */
static uint64_t
cf_last_draw(const struct cf_batch *batch)
{
   const uint32_t *first = batch->commands ? batch->commands->bo.map : NULL;
   const ptrdiff_t dwords = first ? batch->dw - first : 0;
   if (dwords < CF_DRAW_DWORDS || (batch->dw[-CF_DRAW_DWORDS] & 0xff) != CF_OPCODE_DRAW)
      return 0;
   return batch->commands->bo.address + 4 * (uint64_t)(dwords - CF_DRAW_DWORDS);
}

static void
cf_note_draw(struct cf_context *context, uint64_t address)
{
   struct cf_gpu *gpu = context->screen->gpu;
   struct cf_context_notes *notes = context->notes;
   struct cf_note note = { 0 };

   cf_note_shader(context->screen, context->stage[CF_SHADER_STAGE_VERTEX].shader);
   if (context->stage[CF_SHADER_STAGE_GEOMETRY].shader)
      cf_note_shader(context->screen, context->stage[CF_SHADER_STAGE_GEOMETRY].shader);
   cf_note_shader(context->screen, context->stage[CF_SHADER_STAGE_FRAGMENT].shader);
   cf_note_add_fields(&note, notes->call.data, notes->call.size_B);
   cf_note_filled(context, &note);
   for (unsigned i = 0; i < notes->group_count; i++)
      cf_note_add_text(&note, CF_NOTE_GROUP, notes->group[i], strlen(notes->group[i]));
   if (notes->marker)
      cf_note_add_text(&note, CF_NOTE_MARKER, notes->marker, strlen(notes->marker));
   free(notes->marker);
   notes->marker = NULL;
   if (note.size_B > 0)
      gpu->ops->note(gpu, address, note.data, note.size_B);
   cf_note_free(&note);
}

/* Draw, one by one. With CLIPFREE_DEBUG=flush the draw is submitted at once, and has no note. */
static void
cf_draw_vbo_noted(struct pipe_context *pcontext, const struct pipe_draw_info *info,
                  unsigned drawid_offset, const struct pipe_draw_indirect_info *indirect,
                  const struct pipe_draw_start_count_bias *draws, unsigned draw_count)
{
   struct cf_context *context = cf_context(pcontext);
   struct pipe_draw_info one = *info;

   if (indirect && indirect->buffer) { /* comes back with its draws */
      context->draw_vbo(pcontext, info, drawid_offset, indirect, draws, draw_count);
      return;
   }
   for (unsigned i = 0; i < draw_count; i++) {
      const uint64_t before = context->counters[CF_COUNTER_DRAWS];
      one.take_index_buffer_ownership = info->take_index_buffer_ownership && i == draw_count - 1;
      context->draw_vbo(pcontext, &one, drawid_offset, indirect, &draws[i], 1);
      const uint64_t address = cf_last_draw(&context->batch);
      if (address && context->counters[CF_COUNTER_DRAWS] != before)
         cf_note_draw(context, address);
   }
}

/* ------------------------------------------------------------------ marks */

static uint64_t
cf_wanted(const struct cf_screen *screen)
{
   return screen->gpu->ops->get_param(screen->gpu, CF_PARAM_NOTES);
}

/* Where a capture may begin or end, a submission does. */
static void
cf_mark(struct cf_context *context, enum cf_gpu_mark mark, const char *text)
{
   struct cf_gpu *gpu = context->screen->gpu;
   if (cf_wanted(context->screen) == CF_GPU_NO_NOTES)
      return;
   if (cf_wanted(context->screen) == CF_GPU_NOTES_AND_SPLITS)
      cf_context_submit(context);
   gpu->ops->mark(gpu, mark, text);
}

static void
cf_begin_group(struct cf_context *context, const char *text, unsigned length)
{
   struct cf_context_notes *notes = context->notes;
   char *group = strndup(text, length);
   if (!group)
      return;
   cf_mark(context, CF_GPU_GROUP_BEGIN, group);
   if (notes->group_count < CF_MAX_DEBUG_GROUPS)
      notes->group[notes->group_count++] = group;
   else
      free(group);
}

static void
cf_end_group(struct cf_context *context)
{
   struct cf_context_notes *notes = context->notes;
   cf_mark(context, CF_GPU_GROUP_END, NULL);
   if (notes->group_count > 0)
      free(notes->group[--notes->group_count]);
}

static void
cf_emit_string_marker(struct pipe_context *pcontext, const char *text, int length)
{
   struct cf_context *context = cf_context(pcontext);
   struct cf_context_notes *notes = context->notes;
   free(notes->marker);
   notes->marker = strndup(text, MAX2(length, 0));
   if (notes->marker)
      cf_mark(context, CF_GPU_MARKER, notes->marker);
}

static void
cf_take_note(struct pipe_context *pcontext, enum pipe_note kind, const char *name, const void *data,
             unsigned size_B)
{
   struct cf_context *context = cf_context(pcontext);
   switch (kind) {
   case PIPE_NOTE_GROUP_BEGIN:
      cf_begin_group(context, data, size_B);
      break;
   case PIPE_NOTE_GROUP_END:
      cf_end_group(context);
      break;
   case PIPE_NOTE_PROGRAM:
      cf_note_link(context->screen->notes, name, data, size_B);
      cf_shader_log_link(context->screen->shader_log, name, data, size_B);
      break;
   case PIPE_NOTE_CALL_BEGIN:
      cf_note_add_fields(&context->notes->call, data, size_B);
      break;
   case PIPE_NOTE_CALL_END:
      context->notes->call.size_B = 0;
      break;
   }
}

/* ------------------------------------------------------------------ screen and context */

static void
cf_free_note(struct hash_entry *entry)
{
   cf_note_free(entry->data);
}

void
cf_screen_init_notes(struct cf_screen *screen)
{
   if (cf_wanted(screen) == CF_GPU_NO_NOTES && !screen->shader_log)
      return;
   screen->notes = CALLOC_STRUCT(cf_program_notes);
   if (!screen->notes)
      return;
   simple_mtx_init(&screen->notes->lock, mtx_plain);
   screen->notes->by_name =
      _mesa_hash_table_create(NULL, _mesa_hash_string, _mesa_key_string_equal);
   struct pipe_caps *caps = (struct pipe_caps *)&screen->base.caps;
   caps->notes = caps->string_marker = true;
}

void
cf_screen_fini_notes(struct cf_screen *screen)
{
   if (!screen->notes)
      return;
   _mesa_hash_table_destroy(screen->notes->by_name, cf_free_note);
   simple_mtx_destroy(&screen->notes->lock);
   FREE(screen->notes);
}

void
cf_context_init_notes(struct cf_context *context)
{
   if (!context->screen->notes)
      return;
   context->notes = CALLOC_STRUCT(cf_context_notes);
   if (!context->notes)
      return;
   context->draw_vbo = context->base.draw_vbo;
   if (cf_wanted(context->screen) != CF_GPU_NO_NOTES)
      context->base.draw_vbo = cf_draw_vbo_noted;
   context->base.note = cf_take_note;
   context->base.emit_string_marker = cf_emit_string_marker;
}

void
cf_context_fini_notes(struct cf_context *context)
{
   struct cf_context_notes *notes = context->notes;
   if (!notes)
      return;
   while (notes->group_count > 0)
      free(notes->group[--notes->group_count]);
   free(notes->marker);
   cf_note_free(&notes->call);
   FREE(notes);
}
