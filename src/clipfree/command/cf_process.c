/* SPDX-License-Identifier: MIT */
#include "clipfree/command/cf_process.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "clipfree/base/cf_for.h"
#include "clipfree/base/cf_host.h"
#include "clipfree/command/cf_process_events.h"
#include "clipfree/command/cf_process_rows.h"
#include "clipfree/command/cf_process_time.h"
#include "clipfree/command/cf_queries.h"
#include "clipfree/command/cf_quick_clear.h"
#include "clipfree/command/cf_resolve.h"
#include "clipfree/command/cf_state.h"
#include "clipfree/command/cf_transfer.h"
#include "clipfree/command/cf_warnings.h"
#include "clipfree/jit/cf_jit.h"

#define PASSES 3 /* one is collected, one sets up primitives, one renders tiles */

/* A command buffer whose parsing has begun and whose result was not collected yet. */
struct begun_submission {
   struct cf_fault fault;
   char warning[256];  /* "": none */
   char slow[sizeof(((struct cf_report *)0)->text)];
   uint64_t last_loop; /* the last loop that it launched; set when all of it has been parsed */
   uint64_t start_ns;
   uint32_t number;
   struct cf_process_stats stats;
   struct cf_transfer_counts transfers; /* of those that have no row */
   struct cf_operation_rows rows;
   const struct cf_process_time *time;
};

/* A pass that is being collected or is in flight, with the frame and the submission it belongs
 * to. */
struct flight {
   struct cf_pass *pass;
   struct cf_frame frame;
   struct begun_submission *submission;
   struct cf_query_counts *counts; /* of queries, in the pass' arena */
   /* what its draws write by feedback; data NULL: nothing */
   struct {
      const uint8_t *data;
      uint32_t size_B;
   } fed[CF_FEEDBACK_BUFFERS];
   bool feeds;
   uint64_t number;          /* of the pass in its submission */
   uint64_t last_loop;       /* the pass is finished when this loop is */
   uint64_t launched_ns;     /* for a trace */
};

struct cf_processor {
   struct cf_processor_config config;
   struct cf_resolver resolver;
   struct cf_written written;
   struct cf_transfers *transfers;
   struct cf_state_config state_config;
   struct cf_program_cache *programs;
   struct cf_engine_pool *pool;
   struct cf_state state;
   uint32_t framebuffer_dw[CF_FRAMEBUFFER_DWORDS]; /* the packet that bound the frame; zero: none */
   /* submissions taken .. begun - 1 are in `submission`, by number modulo its size; number
    * begun - 1 is the one being parsed, or parsed last */
   struct begun_submission submission[CF_PROCESS_SUBMISSIONS];
   struct cf_process_time time[CF_PROCESS_SUBMISSIONS];
   uint64_t begun, taken;
   uint64_t draws; /* draw packets so far; counted for their numbers in rows */
   struct begun_submission *current;
   struct cf_fault *fault; /* of `current` */
   /* passes passes_taken .. collecting - 1 are in flight, in order; number `collecting` gets draws;
    * `flight` holds them by number modulo `flights` */
   struct flight flight[PASSES];
   uint32_t flights; /* used elements of `flight`: PASSES, or 1 with a single worker */
   uint64_t collecting, passes_taken;
   struct cf_queries queries;
   bool dropping;      /* draws and clears (packet condition) */
   uint64_t time_loop; /* the last loop that read the clock: later loops come after it */
   struct cf_warnings warnings;
   struct cf_process_result result;
};

struct cf_processor *
cf_processor_create(const struct cf_processor_config *config)
{
   struct cf_processor *processor = calloc(1, sizeof(*processor));
   if (!processor)
      return NULL;
   processor->config = *config;
   processor->programs =
      cf_program_cache_create(config->jit, config->cordic_iterations, config->vertices);
   processor->pool =
      cf_engine_pool_create(&config->units, config->workers, CF_CHUNK_VERTICES,
                            config->perf || config->stats);
   processor->written.workers = config->workers;
   processor->resolver =
      (struct cf_resolver){ .memory = config->memory, .written = &processor->written };
   processor->transfers = cf_transfers_create(
      &(struct cf_transfer_config){ .resolver = &processor->resolver,
                                    .workers = config->workers,
                                    .written = &processor->written,
                                    .observer = config->units.observer,
                                    .trace = config->trace,
                                    .mipmap = cf_mipmap_ops_at(config->level) });
   processor->state_config = (struct cf_state_config){
      .resolver = &processor->resolver,
      .programs = processor->programs,
      .jit = config->jit,
      .policy = config->policy,
      .level = config->level,
      .max_task_instrs = config->max_task_instrs,
      .plain = config->plain,
   };
   const struct cf_pass_config pass = { .print = config->print,
                                        .vertices = config->vertices,
                                        .counts_draws = config->stats };
   bool ok = processor->programs && processor->pool && processor->transfers;
   for (uint32_t i = 0; i < CF_PROCESS_SUBMISSIONS; i++)
      ok &= cf_process_time_init(&processor->time[i], cf_workers_count(config->workers));
   if (ok)
      processor->pool->trace = config->trace;
   processor->flights = cf_workers_count(config->workers) > 1 ? PASSES : 1;
   for (uint32_t i = 0; ok && i < processor->flights; i++) {
      processor->flight[i].pass = cf_pass_create(processor->pool, &pass);
      ok = processor->flight[i].pass != NULL;
   }
   if (!ok) {
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
   for (uint32_t i = 0; i < CF_PROCESS_SUBMISSIONS; i++) {
      cf_operation_rows_free(&processor->submission[i].rows);
      cf_process_time_free(&processor->time[i]);
   }
   for (uint32_t i = 0; i < processor->flights; i++)
      cf_pass_destroy(processor->flight[i].pass);
   cf_transfers_destroy(processor->transfers);
   cf_engine_pool_destroy(processor->pool);
   cf_program_cache_destroy(processor->programs);
   free(processor);
}

/* NULL: there is none. */
static const struct cf_observer *
observer_of(const struct cf_processor *processor)
{
   return processor->config.units.observer;
}

static bool
bad_packet(struct cf_processor *processor, const char *bad_field)
{
   return cf_fault_set(processor->fault, bad_field,
                       "reserved bits are set, or there is no such value");
}

/* ------------------------------------------------------------------ results of passes */

static struct flight *
flight_of(struct cf_processor *processor, uint64_t pass)
{
   return &processor->flight[pass % processor->flights];
}

/* Count a draw that stays on a slow path. One draw per submission is warned of. */
static void
note_slow(struct cf_processor *processor, const struct cf_draw_state *draw)
{
   struct begun_submission *submission = processor->current;
   submission->stats.slow_draws++;
   CF_FOR_BITS (reason, draw->slow) {
      submission->stats.slow[reason]++;
      if (!submission->slow[0])
         cf_warn_slow(&processor->warnings, draw, reason, submission->slow,
                      sizeof(submission->slow));
   }
}

/* Add the rows of what a submission did before a pass. */
static void
add_rows(struct cf_processor *processor, struct begun_submission *submission, uint64_t pass)
{
   if (processor->config.stats)
      cf_operation_rows_add(&submission->rows, pass, processor->config.stats,
                            processor->config.workers, submission->stats.unit_ns);
}

/* Retire the oldest pass in flight, which is finished: record its result and statistics. */
static void
take_pass(struct cf_processor *processor)
{
   struct flight *flight = flight_of(processor, processor->passes_taken++);
   struct begun_submission *submission = flight->submission;
   struct cf_pass_report report;
   add_rows(processor, submission, flight->number);
   if (processor->config.stats)
      cf_process_add_draws(processor->config.stats, flight->pass);
   cf_pass_take(flight->pass, &report);
   if (report.outside.found)
      cf_warn_outside(&processor->warnings, &report.outside, submission->warning,
                      sizeof(submission->warning));
   cf_process_time_note(submission->time, processor->config.max_task_instrs, &report,
                        &submission->fault);
   cf_process_count_pass(&submission->stats, &report.stats);
   cf_trace_span(processor->config.trace, flight->launched_ns, report.number, .name = "pass",
                 .number = { { "submission", submission->number - 1 },
                             { "draws", report.stats.draws },
                             { "chunks", report.stats.chunks } });
}

/* Wait until at most `left` passes are in flight. */
static void
wait_for_passes(struct cf_processor *processor, uint64_t left)
{
   while (processor->collecting - processor->passes_taken > left) {
      const enum cf_unit before = cf_unit_begin(processor->pool->parser, CF_UNIT_NONE);
      const uint64_t start_ns = cf_trace_now(processor->config.trace);
      cf_workers_finish(processor->config.workers,
                        flight_of(processor, processor->passes_taken)->last_loop);
      cf_unit_begin(processor->pool->parser, before);
      cf_trace_slice(processor->config.trace, start_ns, .name = "wait for pass");
      take_pass(processor);
   }
}

/* ------------------------------------------------------------------ passes */

static struct cf_pass *
collecting(struct cf_processor *processor)
{
   return flight_of(processor, processor->collecting)->pass;
}

/* Collect draws for the frame that is bound. Nothing has been added yet. */
static void
begin_pass(struct cf_processor *processor)
{
   while (processor->passes_taken < processor->collecting &&
          cf_workers_is_finished(processor->config.workers,
                                 flight_of(processor, processor->passes_taken)->last_loop))
      take_pass(processor);
   if (processor->collecting == processor->passes_taken) /* reuse the arena that is still in caches */
      processor->collecting = processor->passes_taken = 0;
   struct flight *flight = flight_of(processor, processor->collecting);
   flight->submission = processor->current;
   flight->frame = processor->state.frame;
   flight->counts = processor->queries.counts = NULL;
   flight->feeds = false;
   cf_pass_begin(flight->pass, &flight->frame, cf_process_time_limits(processor->current->time));
   cf_written_forget(&processor->written);
   cf_state_begin_pass(&processor->state);
}

/* The loop that the chunks of the collected pass must come after. */
static uint64_t
chunks_after(struct cf_processor *processor)
{
   if (flight_of(processor, processor->collecting)->feeds) /* what is read before is overwritten */
      return cf_workers_launched(processor->config.workers);
   const uint64_t reads_of = processor->state.reads_of;
   return reads_of > processor->time_loop ? reads_of : processor->time_loop;
}

/* The pass, which is launched, writes to feedback's buffers. */
static void
note_fed(struct cf_processor *processor, const struct flight *flight)
{
   for (uint32_t i = 0; flight->feeds && i < CF_FEEDBACK_BUFFERS; i++) {
      if (flight->fed[i].data)
         cf_written_add(&processor->written, flight->fed[i].data, flight->fed[i].size_B);
   }
}

/* Launch the collected pass unless it is empty. The caller then begins another one. False: the
 * submission has a fault. */
static bool
end_pass(struct cf_processor *processor)
{
   struct flight *flight = flight_of(processor, processor->collecting);
   struct cf_workers *workers = processor->config.workers;
   if (cf_pass_is_empty(flight->pass)) {
      struct cf_pass_report nothing;
      cf_pass_take(flight->pass, &nothing);
      return !processor->fault->text[0];
   }
   flight->number = flight->submission->rows.passes++;
   flight->launched_ns = cf_trace_now(processor->config.trace);
   cf_pass_launch(flight->pass, chunks_after(processor));
   cf_written_add_frame(&processor->written, &flight->frame);
   note_fed(processor, flight);
   if (flight->counts)
      cf_workers_launch(workers, &(struct cf_loop){ .work = cf_queries_add,
                                                    .user = flight->counts,
                                                    .items = 1,
                                                    .after = cf_workers_launched(workers) });
   flight->last_loop = cf_workers_launched(workers);
   processor->collecting++;
   wait_for_passes(processor, processor->flights - 1);
   return !processor->fault->text[0];
}

/* Launch the collected pass and begin the next one. False: the submission has a fault. */
static bool
launch_pass(struct cf_processor *processor)
{
   const bool ok = end_pass(processor);
   begin_pass(processor);
   return ok;
}

static bool
framebuffer(struct cf_processor *processor, const uint32_t *dw)
{
   if (memcmp(dw, processor->framebuffer_dw, sizeof(processor->framebuffer_dw)) == 0)
      return true;
   if ((!cf_pass_is_empty(collecting(processor)) && !launch_pass(processor)) ||
       !cf_state_framebuffer(&processor->state, dw, processor->fault))
      return false;
   memcpy(processor->framebuffer_dw, dw, sizeof(processor->framebuffer_dw));
   begin_pass(processor);
   return true;
}

/* Whether the next draw begins a pass: all draws of a pass write to the same buffers by feedback,
 * or none does. */
static bool
begins_pass(struct cf_processor *processor)
{
   struct flight *flight = flight_of(processor, processor->collecting);
   const struct cf_state_feedback *feedback = &processor->state.feedback;
   const bool other = feedback->outputs ? feedback->begins_pass : flight->feeds;
   return cf_pass_is_full(flight->pass) || (other && !cf_pass_is_empty(flight->pass));
}

/* A draw with feedback belongs to the collected pass. */
static void
note_feedback(struct cf_processor *processor)
{
   struct flight *flight = flight_of(processor, processor->collecting);
   struct cf_state_feedback *feedback = &processor->state.feedback;
   flight->feeds = true;
   feedback->begins_pass = false;
   for (uint32_t i = 0; i < CF_FEEDBACK_BUFFERS; i++) {
      flight->fed[i].data = feedback->buffer[i].data;
      flight->fed[i].size_B = feedback->buffer[i].size_B;
   }
}

/* Whether anything comes of the draw. */
static bool
has_effect(const struct cf_processor *processor, const struct cf_draw_state *draw)
{
   return draw->instances > 0 && (!processor->state.raster.discard || draw->feedback ||
                                  processor->queries.result[CF_QUERY_KIND_PRIMITIVES]);
}

/* The packet has no effect. */
static bool
drop(const struct cf_processor *processor)
{
   if (processor->config.stats)
      cf_process_drop_note(processor->config.stats, processor->fault->address);
   return true;
}

static bool
draw(struct cf_processor *processor, const uint32_t *dw)
{
   const uint64_t number = processor->draws++;
   if (processor->dropping)
      return drop(processor);
   if (begins_pass(processor) && !launch_pass(processor))
      return false;
   struct cf_pass *pass = collecting(processor);
   struct cf_draw_state *draw = cf_pass_new_draw(pass);
   if (!draw)
      return cf_fault_out_of_memory(processor->fault, "prim");
   if (!cf_state_draw(&processor->state, dw, cf_pass_arena(pass), draw, processor->fault))
      return false;
   if (!has_effect(processor, draw))
      return drop(processor);
   draw->packet = draw->source.draw = processor->fault->address;
   if (draw->feedback)
      note_feedback(processor);
   if (draw->slow)
      note_slow(processor, draw);
   struct flight *flight = flight_of(processor, processor->collecting);
   if (!cf_queries_count(&processor->queries, cf_pass_arena(pass), &flight->counts, draw) ||
       !cf_pass_draw(pass, draw))
      return cf_fault_out_of_memory(processor->fault, "prim");
   if (processor->config.stats) {
      cf_process_describe_draw(pass, draw, number, processor->begun - 1, processor->pool->parser);
      cf_process_note_draw(processor->config.stats, pass, processor->fault->address);
   }
   return true;
}

/* No loop is in flight and no draw is collected. */
static bool
is_idle(struct cf_processor *processor)
{
   const struct cf_workers *workers = processor->config.workers;
   return cf_pass_is_empty(collecting(processor)) &&
          cf_workers_is_finished(workers, cf_workers_launched(workers));
}

/* Make the row of the packet, if rows are written; its submission does not have it yet. */
static struct cf_operation_row *
make_row(const struct cf_processor *processor, enum cf_stat_rows kind)
{
   const struct cf_fault *at = processor->fault;
   return processor->config.stats
             ? cf_operation_row_create(kind, at->packet, at->address, processor->begun - 1)
             : NULL;
}

/* Do a clear that only changes tile states. */
static void
quick_clear(struct cf_processor *processor, const struct cf_clear_op *op)
{
   struct cf_unit_clock *clock = processor->pool->parser;
   const enum cf_unit before = cf_unit_begin(clock, CF_UNIT_CLEARS);
   cf_quick_clear(op, &processor->state.frame);
   cf_unit_begin(clock, before);
   struct cf_operation_row *row = make_row(processor, CF_STAT_OF_CLEAR);
   if (!row)
      return;
   cf_process_describe_clear(&row->row, op, clock);
   cf_operation_rows_append(&processor->current->rows, row);
}

/* The row of a clear that was added to the pass last, if it is counted. */
static void
describe_clear(struct cf_processor *processor, const struct cf_clear_op *op)
{
   struct cf_stats_row *row = cf_pass_last_counts(collecting(processor));
   if (!row)
      return;
   row->text[CF_STAT_KIND] = processor->fault->packet;
   row->number[CF_STAT_PACKET] = processor->fault->address;
   row->number[CF_STAT_SUBMISSION] = processor->begun - 1;
   cf_process_describe_clear(row, op, processor->pool->parser);
}

static bool
clear(struct cf_processor *processor, const uint32_t *dw)
{
   struct cf_clear_op op;
   if (processor->dropping)
      return true;
   if ((cf_pass_is_full(collecting(processor)) && !launch_pass(processor)) ||
       !cf_state_clear(&processor->state, dw, &op, processor->fault))
      return false;
   if (op.images == 0)
      return true;
   if (cf_quick_clear_fits(&op, &processor->state.frame) && is_idle(processor)) {
      quick_clear(processor, &op);
      return true;
   }
   struct cf_clear_op *stored =
      cf_arena_alloc(cf_pass_arena(collecting(processor)), sizeof(*stored));
   if (stored)
      *stored = op;
   if (!stored || !cf_pass_draw(collecting(processor),
                                &(struct cf_draw_state){ .packet = processor->fault->address,
                                                         .clear = stored }))
      return cf_fault_out_of_memory(processor->fault, "colors");
   describe_clear(processor, &op);
   return true;
}

/* ------------------------------------------------------------------ other commands */

static bool
transfer(struct cf_processor *processor, const uint32_t *dw)
{
   struct cf_unit_clock *clock = processor->pool->parser;
   if (!end_pass(processor))
      return false;
   struct begun_submission *submission = processor->current;
   struct cf_operation_row *row = make_row(processor, CF_STAT_OF_TRANSFER);
   const enum cf_unit before = cf_unit_begin(clock, CF_UNIT_NONE);
   const bool ok = cf_transfers_launch(processor->transfers, dw,
                                       row     ? &row->counts
                                       : clock ? &submission->transfers
                                               : NULL,
                                       processor->fault);
   cf_unit_begin(clock, before);
   if (row && ok) {
      row->loop = cf_workers_launched(processor->config.workers);
      cf_operation_rows_append(&submission->rows, row);
   } else {
      free(row);
   }
   begin_pass(processor);
   return ok;
}

/* A transfer to a buffer, which may hold descriptors: drop what was resolved from
 * them. If packets are observed, the next one finds it written. */
static bool
transfer_buffer(struct cf_processor *processor, const uint32_t *dw)
{
   if (!transfer(processor, dw))
      return false;
   if (observer_of(processor))
      cf_workers_finish(processor->config.workers, cf_workers_launched(processor->config.workers));
   cf_state_memory_changed(&processor->state);
   memset(processor->framebuffer_dw, 0, sizeof(processor->framebuffer_dw));
   return true;
}

/* ------------------------------------------------------------------ queries */

/* Launch a loop that reads the clock after all earlier loops. Later loops come after it, so that
 * the time between two readings is that of all work between them. Launched even if the submission
 * has a fault, which returns false. */
static bool
take_time(struct cf_processor *processor, cf_work_item work, uint64_t *result)
{
   struct cf_workers *workers = processor->config.workers;
   const bool ok = end_pass(processor);
   processor->time_loop =
      cf_workers_launch(workers, &(struct cf_loop){ .work = work,
                                                    .user = result,
                                                    .items = 1,
                                                    .after = cf_workers_launched(workers),
                                                    .small = true });
   begin_pass(processor);
   return ok;
}

/* End the active query of elapsed time, if there is one. */
static bool
end_time(struct cf_processor *processor)
{
   uint64_t *result = processor->queries.result[CF_QUERY_KIND_TIME];
   processor->queries.result[CF_QUERY_KIND_TIME] = NULL;
   return !result || take_time(processor, cf_queries_add_time, result);
}

static bool
query(struct cf_processor *processor, const uint32_t *dw)
{
   struct cf_query packet;
   const char *bad_field;
   if (!cf_query_unpack(dw, &packet, &bad_field))
      return bad_packet(processor, bad_field);
   uint64_t *result = (uint64_t *)cf_resolve_memory(&processor->resolver, packet.result, 8, 8,
                                                    "result", processor->fault);
   if (!result)
      return false;
   processor->queries.counts = NULL;
   if (packet.kind == CF_QUERY_KIND_TIMESTAMP)
      return packet.begin ? cf_fault_set(processor->fault, "begin", "a timestamp has no beginning")
                          : take_time(processor, cf_queries_store_time, result);
   if (packet.kind == CF_QUERY_KIND_TIME && !end_time(processor))
      return false;
   processor->queries.result[packet.kind] = packet.begin ? result : NULL;
   return packet.kind != CF_QUERY_KIND_TIME || !packet.begin ||
          take_time(processor, cf_queries_subtract_time, result);
}

/* The result is read when all work before is done, by the parsing thread. */
static bool
condition(struct cf_processor *processor, const uint32_t *dw)
{
   struct cf_workers *workers = processor->config.workers;
   struct cf_condition packet;
   const char *bad_field;
   if (!cf_condition_unpack(dw, &packet, &bad_field))
      return bad_packet(processor, bad_field);
   processor->dropping = false;
   if (!packet.result)
      return true;
   const uint64_t *result =
      cf_resolve_memory(&processor->resolver, packet.result, 8, 8, "result", processor->fault);
   if (!result || !launch_pass(processor))
      return false;
   cf_workers_finish(workers, cf_workers_launched(workers));
   processor->dropping = (*result != 0) == packet.inverted;
   return true;
}

/* ------------------------------------------------------------------ the packet loop */

/* Execute a packet that neither sets state nor ends the command buffer. */
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
   case CF_OPCODE_GATHER:
   case CF_OPCODE_REDUCE:
   case CF_OPCODE_RESOLVE:
   case CF_OPCODE_INVALIDATE:
      return transfer(processor, dw);
   case CF_OPCODE_COPY_BUFFER:
   case CF_OPCODE_FILL_BUFFER:
      return transfer_buffer(processor, dw);
   case CF_OPCODE_QUERY:
      return query(processor, dw);
   case CF_OPCODE_CONDITION:
      return condition(processor, dw);
   default:
      return true; /* nop */
   }
}

/* Check a packet's header; `left` dwords of the command buffer remain. Returns the packet's size in
 * dwords, 0: a fault. */
static uint32_t
packet_dwords(struct cf_processor *processor, uint32_t header, uint32_t left)
{
   uint32_t dwords;
   struct cf_fault *fault = processor->fault;
   fault->packet = cf_packet_name(header & 0xff, &dwords);
   if (!fault->packet) {
      fault->packet = "?";
      cf_fault_set(fault, "opcode", "there is no packet 0x%02x", header & 0xff);
      return 0;
   }
   if (header >> 16 != dwords || (header >> 8 & 0xff)) {
      cf_fault_set(fault, "header", "0x%08x: size %u, must be %u, and bits 15:8 zero", header,
                   header >> 16, dwords);
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
   const struct cf_observer *observer = observer_of(processor);
   const uint64_t start = processor->fault->address;
   struct cf_fault *fault = processor->fault;
   bool handled;
   /* a copy: the command buffer may be overwritten, even by draws, between check and use */
   uint32_t packet[CF_PACKET_DWORDS];
   for (uint32_t at = 0; at < count;) {
      fault->address = start + 4ull * at;
      packet[0] = dw[at];
      const uint32_t dwords = packet_dwords(processor, packet[0], count - at);
      if (dwords == 0)
         return;
      memcpy(packet + 1, dw + at + 1, 4 * (dwords - 1));
      if (observer && observer->packet)
         cf_tell_packet(observer, processor->config.memory, processor->begun, processor->fault,
                        packet, dwords);
      if ((packet[0] & 0xff) == CF_OPCODE_END) {
         if (at + dwords != count)
            cf_fault_set(fault, "header", "%u dwords follow the end", count - at - dwords);
         return;
      }
      if (!cf_state_packet(&processor->state, packet, &handled, fault) ||
          (!handled && !command(processor, packet)))
         return;
      at += dwords;
   }
   cf_fault_set(fault, "header", "the command buffer has no end packet");
}

/* ------------------------------------------------------------------ submissions */

uint32_t
cf_process_pending(const struct cf_processor *processor)
{
   return (uint32_t)(processor->begun - processor->taken);
}

static void
begin_submission(struct cf_processor *processor, uint64_t address, uint64_t limit_ns)
{
   const uint32_t place = (uint32_t)(processor->begun % CF_PROCESS_SUBMISSIONS);
   struct begun_submission *submission = &processor->submission[place];
   *submission = (struct begun_submission){
      .fault = { .packet = "(command buffer)", .address = address },
      .start_ns = processor->config.perf || processor->config.trace ? cf_time_ns() : 0,
      .number = (uint32_t)++processor->begun,
      .time = &processor->time[place],
   };
   cf_process_time_begin(&processor->time[place], limit_ns);
   processor->current = submission;
   processor->fault = &submission->fault;
   cf_unit_clock_start(processor->pool->parser, submission->stats.unit_ns, CF_UNIT_STATE);
   processor->queries = (struct cf_queries){ 0 };
   processor->dropping = false;
   memset(processor->framebuffer_dw, 0, sizeof(processor->framebuffer_dw));
   struct cf_jit *jit = processor->config.jit;
   if (cf_program_cache_is_large(processor->programs) || (jit && cf_jit_wants_eviction(jit)))
      wait_for_passes(processor, 0);
   const bool rests = processor->collecting == processor->passes_taken;
   if (jit && rests)
      cf_jit_evict(jit);
   cf_program_cache_refresh(processor->programs, rests);
   cf_state_reset(&processor->state, &processor->state_config);
   begin_pass(processor);
}

/* Finish a submission's work before the next one is parsed, so that events of two submissions are
 * never mixed. */
static void
finish_all(struct cf_processor *processor)
{
   wait_for_passes(processor, 0);
   cf_workers_finish(processor->config.workers, cf_workers_launched(processor->config.workers));
}

void
cf_process(struct cf_processor *processor, uint64_t address, uint32_t size_B, uint64_t limit_ns)
{
   begin_submission(processor, address, limit_ns);
   struct begun_submission *submission = processor->current;
   const struct cf_observer *observer = observer_of(processor);
   const struct cf_submission_event event = { .number = processor->begun,
                                              .address = address,
                                              .size_B = size_B,
                                              .memory = processor->config.memory };
   if (observer)
      cf_tell_submission(observer, processor->fault, event, observer->submission_begin);
   const uint32_t *dw =
      cf_resolve_to_read(&processor->resolver, address, size_B, 4, "address", processor->fault);
   if (dw)
      run_packets(processor, dw, size_B / 4);
   end_time(processor);
   launch_pass(processor);
   if (observer) {
      finish_all(processor);
      cf_tell_submission(observer, processor->fault, event, observer->submission_end);
   }
   submission->last_loop = cf_workers_launched(processor->config.workers);
   submission->stats.submissions = 1;
   cf_unit_clock_stop(processor->pool->parser);
   cf_trace_slice(processor->config.trace, submission->start_ns, .name = "parse",
                  .number = { { "submission", submission->number - 1 } });
}

const struct cf_process_result *
cf_process_result(struct cf_processor *processor, bool wait)
{
   if (cf_process_pending(processor) == 0)
      return NULL;
   struct begun_submission *submission =
      &processor->submission[processor->taken % CF_PROCESS_SUBMISSIONS];
   struct cf_workers *workers = processor->config.workers;
   if (!wait && !cf_workers_is_finished(workers, submission->last_loop))
      return NULL;
   cf_workers_finish(workers, submission->last_loop);
   while (processor->passes_taken < processor->collecting &&
          flight_of(processor, processor->passes_taken)->submission == submission)
      take_pass(processor);
   processor->taken++;
   add_rows(processor, submission, submission->rows.passes);
   submission->stats.unit_ns[CF_UNIT_COPIES] += submission->transfers.ns;
   if (processor->config.perf) {
      submission->stats.all_ns = cf_time_ns() - submission->start_ns;
      cf_process_print_stats("submission", submission->number, &submission->stats);
   }
   cf_trace_span(processor->config.trace, submission->start_ns, submission->number - 1,
                 .name = "submission",
                 .number = { { "passes", submission->stats.passes },
                             { "draws", submission->stats.draws } });
   if (processor->config.stats)
      cf_process_end_rows(processor->config.stats, &submission->stats);
   processor->result = (struct cf_process_result){
      .error = submission->fault.text[0] ? submission->fault.text : NULL,
      .kind = submission->fault.out_of_memory ? CF_REPORT_OUT_OF_MEMORY : CF_REPORT_FAILURE,
      .warning = submission->warning[0] ? submission->warning : NULL,
      .slow = submission->slow[0] ? submission->slow : NULL,
      .stats = &submission->stats,
   };
   return &processor->result;
}
