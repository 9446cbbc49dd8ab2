/* SPDX-License-Identifier: MIT */
#include "clipfree/command/cf_process.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "clipfree/command/cf_resolve.h"
#include "clipfree/command/cf_state.h"
#include "clipfree/isa/cf_isa.h"
#include "clipfree/memory/cf_mipmap.h"
#include "clipfree/shader/cf_decoded.h"

#define QUERY_KINDS 5
#define WARNED_PROGRAMS 64 /* after as many others a program is warned of again */

/* A stretch of draws whose passing samples go to the same queries. */
struct segment {
   struct segment *next;
   uint64_t samples;
   uint64_t *result[2];
};

struct cf_processor {
   struct cf_processor_config config;
   struct cf_state_config state_config;
   struct cf_program_cache *programs;
   struct cf_pass *pass;
   struct cf_state state;
   struct cf_fault fault;
   uint32_t framebuffer_dw[CF_FRAMEBUFFER_DWORDS]; /* the packet that bound the frame; zero: none */
   /* queries */
   uint64_t *query[QUERY_KINDS]; /* results of those begun */
   uint64_t query_start_ns;
   struct segment *segments; /* of the pass, in its arena */
   struct segment *segment;  /* for the next draw; NULL: to be made if a query counts samples */
   /* warnings */
   char warning[256];                /* of this submission; "": none */
   uint64_t warned[WARNED_PROGRAMS]; /* code of programs that were warned of */
   uint32_t warnings;
   /* time spent in this submission */
   uint64_t copy_ns;
   uint32_t number;
   struct cf_process_stats stats; /* of the last submission */
};

struct cf_processor *
cf_processor_create(const struct cf_processor_config *config)
{
   struct cf_processor *processor = calloc(1, sizeof(*processor));
   if (!processor)
      return NULL;
   processor->config = *config;
   processor->programs = cf_program_cache_create(config->jit, config->cordic_iterations);
   processor->pass = cf_pass_create(&config->units, config->workers, config->print);
   processor->state_config = (struct cf_state_config){
      .memory = config->memory,
      .programs = processor->programs,
      .jit = config->jit,
      .policy = config->policy,
      .level = config->level,
      .max_task_instrs = config->max_task_instrs,
   };
   if (!processor->programs || !processor->pass) {
      cf_processor_destroy(processor);
      return NULL;
   }
   return processor;
}

void
cf_processor_destroy(struct cf_processor *processor)
{
   if (!processor)
      return;
   cf_pass_destroy(processor->pass);
   cf_program_cache_destroy(processor->programs);
   free(processor);
}

static bool
bad_packet(struct cf_processor *processor, const char *bad_field)
{
   return cf_fault_set(&processor->fault, bad_field,
                       "reserved bits are set, or there is no such value");
}

/* ------------------------------------------------------------------ passes */

static void
add_samples(struct cf_processor *processor)
{
   for (const struct segment *segment = processor->segments; segment; segment = segment->next) {
      for (uint32_t i = 0; i < 2; i++) {
         if (segment->result[i])
            *segment->result[i] += segment->samples;
      }
   }
   processor->segments = processor->segment = NULL;
}

/* Nothing is pending: give back what draws were kept in. */
static void
recycle(struct cf_processor *processor)
{
   add_samples(processor);
   cf_state_forget_pieces(&processor->state);
   cf_pass_recycle(processor->pass);
}

/* The instruction that loads the vertex element. */
static unsigned
pc_of_load(const struct cf_decoded *program, uint32_t element)
{
   unsigned pc = 0;
   while (pc + 1 < program->count &&
          (program->instrs[pc].op != CF_OP_LDF || program->instrs[pc].slot != element))
      pc++;
   return pc;
}

/* Warn of loads outside of vertex buffers, once for each program. */
static void
note_outside(struct cf_processor *processor)
{
   struct cf_pass_outside outside;
   if (!cf_pass_take_outside(processor->pass, &outside))
      return;
   const uint64_t code = cf_program_info(outside.program)->code;
   for (uint32_t i = 0; i < WARNED_PROGRAMS && i < processor->warnings; i++) {
      if (processor->warned[i] == code)
         return;
   }
   processor->warned[processor->warnings++ % WARNED_PROGRAMS] = code;
   snprintf(processor->warning, sizeof(processor->warning),
            "packet draw at 0x%" PRIx64 ": vertex shader at 0x%" PRIx64
            ", pc %u, lane %u: vertex %u of element %u lies outside of its buffer and reads as 0",
            outside.packet, code, pc_of_load(outside.program, outside.load.element),
            outside.load.lane, outside.load.vertex, outside.load.element);
}

const char *
cf_process_warning(const struct cf_processor *processor)
{
   return processor->warning[0] ? processor->warning : NULL;
}

/* Render what is pending. */
static bool
finish_pass(struct cf_processor *processor)
{
   if (cf_pass_is_empty(processor->pass))
      return true;
   const enum cf_pass_result result = cf_pass_finish(processor->pass);
   recycle(processor);
   note_outside(processor);
   if (result == CF_PASS_GAVE_UP) {
      processor->fault.packet = "draw";
      processor->fault.address = cf_pass_given_up_packet(processor->pass);
      return cf_fault_set(&processor->fault, "program",
                          "a task ran more than %" PRIu64 " instructions and was given up",
                          processor->config.max_task_instrs);
   }
   if (result == CF_PASS_OUT_OF_MEMORY)
      return cf_fault_set(&processor->fault, "prim", "out of host memory, primitives are missing");
   return true;
}

static bool
framebuffer(struct cf_processor *processor, const uint32_t *dw)
{
   if (memcmp(dw, processor->framebuffer_dw, sizeof(processor->framebuffer_dw)) == 0)
      return true;
   if (!finish_pass(processor) || !cf_state_framebuffer(&processor->state, dw, &processor->fault))
      return false;
   memcpy(processor->framebuffer_dw, dw, sizeof(processor->framebuffer_dw));
   cf_pass_begin(processor->pass, &processor->state.frame);
   return true;
}

/* Where samples of the next draw are counted; NULL if no query wants them (or without memory for
 * it). */
static uint64_t *
sample_counter(struct cf_processor *processor)
{
   uint64_t *const samples = processor->query[CF_QUERY_KIND_SAMPLES_PASSED],
                   *const any = processor->query[CF_QUERY_KIND_ANY_SAMPLES];
   if (!samples && !any)
      return NULL;
   if (!processor->segment) {
      struct segment *segment = cf_arena_alloc(cf_pass_arena(processor->pass), sizeof(*segment));
      if (!segment)
         return NULL;
      *segment = (struct segment){ .next = processor->segments, .result = { samples, any } };
      processor->segments = processor->segment = segment;
   }
   return &processor->segment->samples;
}

static bool
draw(struct cf_processor *processor, const uint32_t *dw)
{
   struct cf_draw_state draw;
   struct cf_arena *arena = cf_pass_arena(processor->pass);
   if (arena->used_B > CF_PASS_STATE_B) {
      if (!finish_pass(processor))
         return false;
      recycle(processor);
   }
   if (!cf_state_draw(&processor->state, dw, arena, &draw, &processor->fault))
      return false;
   if (draw.instances == 0)
      return true;
   draw.packet = processor->fault.address;
   draw.samples = sample_counter(processor);
   draw.primitives = processor->query[CF_QUERY_KIND_PRIMITIVES];
   if (!cf_pass_draw(processor->pass, &draw))
      return cf_fault_set(&processor->fault, "prim", "out of host memory");
   return true;
}

/* A clear that only changes tile states is done at once, if nothing is to be drawn before it. */
static bool
is_quick_clear(const struct cf_processor *processor, const struct cf_clear_op *op)
{
   const struct cf_frame *frame = &processor->state.frame;
   if (!cf_pass_is_empty(processor->pass) || op->min_x_px || op->min_y_px ||
       op->max_x_px < frame->width_px || op->max_y_px < frame->height_px)
      return false;
   for (uint32_t images = op->images; images; images &= images - 1) {
      const uint32_t i = (uint32_t)__builtin_ctz(images);
      const struct cf_image *image = i == CF_MAX_COLOR_TARGETS ? &frame->zs : &frame->color[i];
      const uint32_t full[4] = { UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX };
      if (!image->tiles || memcmp(op->mask[i], full, sizeof(full)) != 0)
         return false;
   }
   return true;
}

static bool
clear(struct cf_processor *processor, const uint32_t *dw)
{
   struct cf_clear_op op;
   if (!cf_state_clear(&processor->state, dw, &op, &processor->fault))
      return false;
   if (op.images == 0)
      return true;
   if (is_quick_clear(processor, &op)) {
      const struct cf_frame *frame = &processor->state.frame;
      for (uint32_t images = op.images; images; images &= images - 1) {
         const uint32_t i = (uint32_t)__builtin_ctz(images);
         cf_image_clear(i == CF_MAX_COLOR_TARGETS ? &frame->zs : &frame->color[i], op.value[i],
                        op.mask[i], op.min_x_px, op.min_y_px, op.max_x_px, op.max_y_px);
      }
      return true;
   }
   struct cf_clear_op *kept = cf_arena_alloc(cf_pass_arena(processor->pass), sizeof(*kept));
   if (kept)
      *kept = op;
   if (!kept || !cf_pass_draw(processor->pass, &(struct cf_draw_state){ .clear = kept }))
      return cf_fault_set(&processor->fault, "colors", "out of host memory");
   return true;
}

/* ------------------------------------------------------------------ copies */

static void
resolve_tile_row(void *user, uint32_t worker, uint32_t item)
{
   const struct cf_image *image = user;
   (void)worker;
   for (uint32_t x = 0; x < image->tiles_per_row; x++)
      cf_image_resolve_tile_to_read(image, x, item);
}

static void
resolve_image(struct cf_processor *processor, struct cf_image *image)
{
   if (image->tiles)
      cf_workers_run(processor->config.workers, resolve_tile_row, image,
                     (image->height_px + CF_TILE_PX - 1) / CF_TILE_PX);
}

struct copy {
   struct cf_image source, destination;
   struct cf_copy packet;
   uint32_t mask[4]; /* bits of a pixel, unless all of it is copied */
};

/* Rows min .. max - 1 of the destination. */
static void
copy_rows(const struct copy *copy, uint32_t min_px, uint32_t max_px)
{
   const struct cf_copy *packet = &copy->packet;
   const uint32_t source_y_px = packet->source_y_px + (min_px - packet->destination_y_px);
   if (packet->part == CF_COPY_PART_ALL)
      cf_image_copy(&copy->source, packet->source_x_px, source_y_px, &copy->destination,
                    packet->destination_x_px, min_px, packet->width_px, max_px - min_px);
   else
      cf_image_copy_bits(&copy->source, packet->source_x_px, source_y_px, &copy->destination,
                         packet->destination_x_px, min_px, packet->width_px, max_px - min_px,
                         copy->mask);
}

/* Rows of one row of the destination's tiles. */
static void
copy_band(void *user, uint32_t worker, uint32_t item)
{
   const struct copy *copy = user;
   const struct cf_copy *packet = &copy->packet;
   (void)worker;
   const uint32_t end_px = packet->destination_y_px + packet->height_px;
   const uint32_t row_px = (packet->destination_y_px / CF_TILE_PX + item) * CF_TILE_PX;
   const uint32_t min_px = row_px > packet->destination_y_px ? row_px : packet->destination_y_px;
   const uint32_t max_px = row_px + CF_TILE_PX < end_px ? row_px + CF_TILE_PX : end_px;
   copy_rows(copy, min_px, max_px);
}

/* The bits of a part of the pixels. */
static bool
find_part(struct copy *copy, struct cf_fault *fault)
{
   const enum cf_copy_part part = copy->packet.part;
   const char letter = part == CF_COPY_PART_DEPTH ? 'z' : 's';
   uint32_t source_mask[4] = { 0 };
   memset(copy->mask, 0, sizeof(copy->mask));
   if (part == CF_COPY_PART_ALL)
      return true;
   return (cf_format_or_channel(copy->source.format, letter, UINT32_MAX, source_mask) &&
           cf_format_or_channel(copy->destination.format, letter, UINT32_MAX, copy->mask) &&
           memcmp(copy->mask, source_mask, sizeof(source_mask)) == 0) ||
          cf_fault_set(fault, "part", "%s and %s do not have %s in the same bits",
                       copy->source.format->name, copy->destination.format->name,
                       cf_copy_part_name(part));
}

static bool
check_copy(const struct copy *copy, struct cf_fault *fault)
{
   const struct cf_copy *packet = &copy->packet;
   if (copy->source.format->pixel_B != copy->destination.format->pixel_B)
      return cf_fault_set(fault, "destination", "pixels of %u bytes, the source has %u",
                          copy->destination.format->pixel_B, copy->source.format->pixel_B);
   if (packet->source_x_px + packet->width_px > copy->source.width_px ||
       packet->source_y_px + packet->height_px > copy->source.height_px)
      return cf_fault_set(fault, "width_px", "the rectangle is not inside the source");
   if (packet->destination_x_px + packet->width_px > copy->destination.width_px ||
       packet->destination_y_px + packet->height_px > copy->destination.height_px)
      return cf_fault_set(fault, "width_px", "the rectangle is not inside the destination");
   return true;
}

static bool
copy(struct cf_processor *processor, const uint32_t *dw)
{
   struct copy copy;
   const char *bad_field;
   struct cf_fault *fault = &processor->fault;
   if (!cf_copy_unpack(dw, &copy.packet, &bad_field))
      return bad_packet(processor, bad_field);
   const struct cf_memory *memory = processor->config.memory;
   if (!finish_pass(processor) ||
       !cf_resolve_surface(memory, copy.packet.source, 0, &copy.source, "source", fault) ||
       !cf_resolve_surface(memory, copy.packet.destination, 0, &copy.destination, "destination",
                           fault) ||
       !check_copy(&copy, fault) || !find_part(&copy, fault))
      return false;
   if (copy.packet.width_px == 0 || copy.packet.height_px == 0)
      return true;
   const uint64_t start_ns = cf_time_ns();
   if (copy.source.data == copy.destination.data) {
      copy_rows(&copy, copy.packet.destination_y_px,
                copy.packet.destination_y_px + copy.packet.height_px);
   } else {
      /* First, so that bands never resolve a tile of the source at the same time. */
      resolve_image(processor, &copy.source);
      const uint32_t first = copy.packet.destination_y_px / CF_TILE_PX;
      const uint32_t last = (copy.packet.destination_y_px + copy.packet.height_px - 1) / CF_TILE_PX;
      cf_workers_run(processor->config.workers, copy_band, &copy, last - first + 1);
   }
   processor->copy_ns += cf_time_ns() - start_ns;
   return true;
}

/* ------------------------------------------------------------------ mipmaps */

struct reduction {
   struct cf_image source, second, destination;
   bool has_second;
};

static bool
is_next_smaller(const struct cf_image *image, const struct cf_image *smaller)
{
   return cf_mipmap_size_px(image->width_px) == smaller->width_px &&
          cf_mipmap_size_px(image->height_px) == smaller->height_px &&
          image->format == smaller->format && cf_image_samples(image) == 1;
}

static bool
check_reduction(const struct reduction *reduction, struct cf_fault *fault)
{
   if (!cf_format_has_mean(reduction->source.format))
      return cf_fault_set(fault, "source", "%s has no mean", reduction->source.format->name);
   if (cf_image_samples(&reduction->destination) > 1)
      return cf_fault_set(fault, "destination", "more than one sample");
   if (!is_next_smaller(&reduction->source, &reduction->destination))
      return cf_fault_set(fault, "source", "not of the destination's format and twice its size");
   if (reduction->has_second && (!is_next_smaller(&reduction->second, &reduction->destination) ||
                                 reduction->second.width_px != reduction->source.width_px ||
                                 reduction->second.height_px != reduction->source.height_px))
      return cf_fault_set(fault, "second", "not of the source's format and size");
   return true;
}

/* One row of the destination's tiles, which are written whole. */
static void
reduce_band(void *user, uint32_t worker, uint32_t item)
{
   const struct reduction *reduction = user;
   const struct cf_image *to = &reduction->destination;
   const uint32_t first_px = item * CF_TILE_PX, last_px = first_px + CF_TILE_PX;
   (void)worker;
   for (uint32_t x = 0; to->tiles && x < to->tiles_per_row; x++)
      to->tiles[item * to->tiles_per_row + x] = (struct cf_tile_state){ 0 };
   cf_mipmap_reduce(&reduction->source, reduction->has_second ? &reduction->second : NULL, to,
                    first_px, last_px < to->height_px ? last_px : to->height_px);
}

static bool
reduce(struct cf_processor *processor, const uint32_t *dw)
{
   struct reduction reduction;
   struct cf_reduce packet;
   const char *bad_field;
   struct cf_fault *fault = &processor->fault;
   if (!cf_reduce_unpack(dw, &packet, &bad_field))
      return bad_packet(processor, bad_field);
   const struct cf_memory *memory = processor->config.memory;
   reduction.has_second = packet.second != 0;
   if (!finish_pass(processor) ||
       !cf_resolve_surface(memory, packet.source, 0, &reduction.source, "source", fault) ||
       (reduction.has_second &&
        !cf_resolve_surface(memory, packet.second, 0, &reduction.second, "second", fault)) ||
       !cf_resolve_surface(memory, packet.destination, 0, &reduction.destination, "destination",
                           fault) ||
       !check_reduction(&reduction, fault))
      return false;
   const uint64_t start_ns = cf_time_ns();
   resolve_image(processor, &reduction.source);
   if (reduction.has_second)
      resolve_image(processor, &reduction.second);
   cf_workers_run(processor->config.workers, reduce_band, &reduction,
                  (reduction.destination.height_px + CF_TILE_PX - 1) / CF_TILE_PX);
   processor->copy_ns += cf_time_ns() - start_ns;
   return true;
}

/* ------------------------------------------------------------------ buffers */

static bool
copy_buffer(struct cf_processor *processor, const uint32_t *dw)
{
   struct cf_copy_buffer packet;
   const char *bad_field;
   struct cf_fault *fault = &processor->fault;
   if (!cf_copy_buffer_unpack(dw, &packet, &bad_field))
      return bad_packet(processor, bad_field);
   const struct cf_memory *memory = processor->config.memory;
   const void *source = cf_resolve_memory(memory, packet.source, packet.size_B, 1, "source", fault);
   void *destination =
      (void *)cf_resolve_memory(memory, packet.destination, packet.size_B, 1, "destination", fault);
   if (!source || !destination || !finish_pass(processor))
      return false;
   memmove(destination, source, packet.size_B);
   cf_state_memory_changed(&processor->state);
   memset(processor->framebuffer_dw, 0, sizeof(processor->framebuffer_dw));
   return true;
}

static bool
fill_buffer(struct cf_processor *processor, const uint32_t *dw)
{
   struct cf_fill_buffer packet;
   const char *bad_field;
   struct cf_fault *fault = &processor->fault;
   if (!cf_fill_buffer_unpack(dw, &packet, &bad_field))
      return bad_packet(processor, bad_field);
   if (packet.size_B % 4)
      return cf_fault_set(fault, "size_B", "%u is not a multiple of 4", packet.size_B);
   uint32_t *destination = (uint32_t *)cf_resolve_memory(
      processor->config.memory, packet.destination, packet.size_B, 4, "destination", fault);
   if (!destination || !finish_pass(processor))
      return false;
   for (uint32_t i = 0; i < packet.size_B / 4; i++)
      destination[i] = packet.value;
   cf_state_memory_changed(&processor->state);
   memset(processor->framebuffer_dw, 0, sizeof(processor->framebuffer_dw));
   return true;
}

static bool
resolve(struct cf_processor *processor, const uint32_t *dw)
{
   struct cf_resolve packet;
   struct cf_image image;
   const char *bad_field;
   if (!cf_resolve_unpack(dw, &packet, &bad_field))
      return bad_packet(processor, bad_field);
   if (!finish_pass(processor) || !cf_resolve_surface(processor->config.memory, packet.surface, 0,
                                                      &image, "surface", &processor->fault))
      return false;
   const uint64_t start_ns = cf_time_ns();
   resolve_image(processor, &image);
   processor->copy_ns += cf_time_ns() - start_ns;
   return true;
}

/* Contents may be lost: what is drawn before still counts, for other surfaces; pending clears do not. */
static bool
invalidate(struct cf_processor *processor, const uint32_t *dw)
{
   struct cf_invalidate packet;
   struct cf_image image;
   const char *bad_field;
   if (!cf_invalidate_unpack(dw, &packet, &bad_field))
      return bad_packet(processor, bad_field);
   if (!finish_pass(processor) || !cf_resolve_surface(processor->config.memory, packet.surface, 0,
                                                      &image, "surface", &processor->fault))
      return false;
   cf_image_discard(&image);
   return true;
}

/* ------------------------------------------------------------------ queries */

static bool
end_query(struct cf_processor *processor, const struct cf_query *packet, uint64_t *result)
{
   if (packet->kind == CF_QUERY_KIND_TIMESTAMP || packet->kind == CF_QUERY_KIND_TIME) {
      if (!finish_pass(processor))
         return false;
      const uint64_t now_ns = cf_time_ns();
      if (packet->kind == CF_QUERY_KIND_TIMESTAMP)
         *result = now_ns;
      else if (processor->query[CF_QUERY_KIND_TIME])
         *result += now_ns - processor->query_start_ns;
   }
   processor->query[packet->kind] = NULL;
   return true;
}

static bool
query(struct cf_processor *processor, const uint32_t *dw)
{
   struct cf_query packet;
   const char *bad_field;
   if (!cf_query_unpack(dw, &packet, &bad_field))
      return bad_packet(processor, bad_field);
   uint64_t *result = (uint64_t *)cf_resolve_memory(processor->config.memory, packet.result, 8, 8,
                                                    "result", &processor->fault);
   if (!result)
      return false;
   processor->segment = NULL;
   if (!packet.begin)
      return end_query(processor, &packet, result);
   if (packet.kind == CF_QUERY_KIND_TIMESTAMP)
      return cf_fault_set(&processor->fault, "begin", "a timestamp has no beginning");
   if (packet.kind == CF_QUERY_KIND_TIME) {
      if (!finish_pass(processor))
         return false;
      processor->query_start_ns = cf_time_ns();
   }
   processor->query[packet.kind] = result;
   return true;
}

/* ------------------------------------------------------------------ the loop */

/* Everything but state packets and end. */
static bool
command(struct cf_processor *processor, const uint32_t *dw)
{
   switch ((enum cf_opcode)(dw[0] & 0xff)) {
   case CF_OPCODE_FRAMEBUFFER:
      return framebuffer(processor, dw);
   case CF_OPCODE_DRAW:
      return draw(processor, dw);
   case CF_OPCODE_CLEAR:
      return clear(processor, dw);
   case CF_OPCODE_COPY:
      return copy(processor, dw);
   case CF_OPCODE_COPY_BUFFER:
      return copy_buffer(processor, dw);
   case CF_OPCODE_REDUCE:
      return reduce(processor, dw);
   case CF_OPCODE_FILL_BUFFER:
      return fill_buffer(processor, dw);
   case CF_OPCODE_RESOLVE:
      return resolve(processor, dw);
   case CF_OPCODE_INVALIDATE:
      return invalidate(processor, dw);
   case CF_OPCODE_QUERY:
      return query(processor, dw);
   default:
      return true; /* nop */
   }
}

/* Check the header of the packet at `at`; its size in dwords, 0: a fault. */
static uint32_t
packet_dwords(struct cf_processor *processor, const uint32_t *dw, uint32_t left)
{
   uint32_t dwords;
   struct cf_fault *fault = &processor->fault;
   fault->packet = cf_packet_name(dw[0] & 0xff, &dwords);
   if (!fault->packet) {
      fault->packet = "?";
      cf_fault_set(fault, "opcode", "there is no packet 0x%02x", dw[0] & 0xff);
      return 0;
   }
   if (dw[0] >> 16 != dwords || (dw[0] >> 8 & 0xff)) {
      cf_fault_set(fault, "header", "0x%08x: size %u, must be %u, and bits 15:8 zero", dw[0],
                   dw[0] >> 16, dwords);
      return 0;
   }
   if (dwords > left) {
      cf_fault_set(fault, "header", "%u dwords, the command buffer ends after %u", dwords, left);
      return 0;
   }
   return dwords;
}

static void
run_packets(struct cf_processor *processor, const uint32_t *dw, uint32_t count)
{
   const uint64_t start = processor->fault.address;
   struct cf_fault *fault = &processor->fault;
   bool handled;
   for (uint32_t at = 0; at < count;) {
      fault->address = start + 4ull * at;
      const uint32_t dwords = packet_dwords(processor, dw + at, count - at);
      if (dwords == 0)
         return;
      if ((dw[at] & 0xff) == CF_OPCODE_END) {
         if (at + dwords != count)
            cf_fault_set(fault, "header", "%u dwords follow the end", count - at - dwords);
         return;
      }
      if (!cf_state_packet(&processor->state, dw + at, &handled, fault) ||
          (!handled && !command(processor, dw + at)))
         return;
      at += dwords;
   }
   cf_fault_set(fault, "header", "the command buffer has no end packet");
}

static void
take_stats(struct cf_processor *processor, const struct cf_pass_stats *before, uint64_t start_ns)
{
   struct cf_pass_stats after;
   cf_pass_get_stats(processor->pass, &after);
   processor->stats = (struct cf_process_stats){
      .submissions = 1,
      .all_ns = cf_time_ns() - start_ns,
      .vertex_ns = after.vertex_ns - before->vertex_ns,
      .tile_ns = after.tile_ns - before->tile_ns,
      .copy_ns = processor->copy_ns,
      .passes = after.passes - before->passes,
      .draws = after.draws - before->draws,
      .chunks = after.chunks - before->chunks,
      .vertex_tasks = after.vertex_tasks - before->vertex_tasks,
      .fragment_tasks = after.tile.tasks - before->tile.tasks,
      .quads = after.tile.quads - before->tile.quads,
      .fragments = after.tile.fragments - before->tile.fragments,
   };
}

void
cf_process_add_stats(const struct cf_processor *processor, struct cf_process_stats *sum)
{
   _Static_assert(sizeof(*sum) % sizeof(uint64_t) == 0, "all are u64");
   const uint64_t *from = (const uint64_t *)&processor->stats;
   for (size_t i = 0; i < sizeof(*sum) / sizeof(uint64_t); i++)
      ((uint64_t *)sum)[i] += from[i];
}

void
cf_process_print_stats(const char *what, uint64_t number, const struct cf_process_stats *s)
{
   const uint64_t units_ns = s->vertex_ns + s->tile_ns + s->copy_ns;
   fprintf(stderr,
           "clipfree: %s %" PRIu64 ": %.1f us: state %.1f, vertices %.1f, tiles %.1f, copies %.1f; "
           "%" PRIu64 " submissions, %" PRIu64 " passes, %" PRIu64 " draws, %" PRIu64
           " chunks, %" PRIu64 " vertex tasks, %" PRIu64 " fragment tasks, %" PRIu64
           " quads, %" PRIu64 " fragments\n",
           what, number, (double)s->all_ns / 1e3, (double)(s->all_ns - units_ns) / 1e3,
           (double)s->vertex_ns / 1e3, (double)s->tile_ns / 1e3, (double)s->copy_ns / 1e3,
           s->submissions, s->passes, s->draws, s->chunks, s->vertex_tasks, s->fragment_tasks,
           s->quads, s->fragments);
}

const char *
cf_process(struct cf_processor *processor, uint64_t address, uint32_t size_B)
{
   struct cf_fault *fault = &processor->fault;
   struct cf_pass_stats before;
   const uint64_t start_ns = processor->config.perf ? cf_time_ns() : 0;
   if (processor->config.perf)
      cf_pass_get_stats(processor->pass, &before);
   *fault = (struct cf_fault){ .packet = "(command buffer)", .address = address };
   processor->warning[0] = 0;
   processor->copy_ns = 0;
   processor->number++;
   memset(processor->query, 0, sizeof(processor->query));
   memset(processor->framebuffer_dw, 0, sizeof(processor->framebuffer_dw));
   cf_program_cache_refresh(processor->programs, true);
   cf_state_reset(&processor->state, &processor->state_config);
   const uint32_t *dw =
      cf_resolve_memory(processor->config.memory, address, size_B, 4, "address", fault);
   if (dw)
      run_packets(processor, dw, size_B / 4);
   finish_pass(processor);
   recycle(processor);
   if (processor->config.perf) {
      take_stats(processor, &before, start_ns);
      cf_process_print_stats("submission", processor->number, &processor->stats);
   }
   return fault->text[0] ? fault->text : NULL;
}
