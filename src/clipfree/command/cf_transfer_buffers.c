/* SPDX-License-Identifier: MIT */
/* Transfers between buffers: copies and fills, by slices. */
#include "clipfree/command/cf_transfer_loops.h"

#include <string.h>

#define SLICE_B (256u << 10)

static void
launch_buffers_report(struct cf_transfers *transfers, enum cf_opcode kind, uint64_t source,
                      uint32_t value, uint64_t destination, uint32_t size_B)
{
   struct cf_transfer_report *report = cf_transfer_begin_report(transfers, kind);
   if (report)
      cf_transfer_report_set_buffers(report, source, value, destination, size_B);
   cf_transfer_launch_report(transfers, report);
}

static uint32_t
slices(uint32_t size_B)
{
   return size_B / SLICE_B + (size_B % SLICE_B != 0);
}

static uint32_t
slice_size_B(uint32_t size_B, uint32_t item)
{
   const uint32_t left_B = size_B - item * SLICE_B;
   return left_B < SLICE_B ? left_B : SLICE_B;
}

static void
copy_slice(void *user, uint32_t worker, uint32_t item)
{
   const struct buffer_copy *copy = user;
   const size_t at_B = (size_t)item * SLICE_B;
   (void)worker;
   memcpy(copy->destination + at_B, copy->source + at_B, slice_size_B(copy->size_B, item));
}

static void
move_buffer(void *user, uint32_t worker, uint32_t item)
{
   const struct buffer_copy *copy = user;
   (void)worker;
   (void)item;
   memmove(copy->destination, copy->source, copy->size_B);
}

bool
cf_transfer_copy_buffer(struct cf_transfers *transfers, const uint32_t *dw)
{
   struct buffer_copy *copy = &cf_transfer_next(transfers)->buffer_copy;
   const struct cf_resolver *resolver = transfers->config.resolver;
   struct cf_copy_buffer packet;
   const char *bad_field;
   if (!cf_copy_buffer_unpack(dw, &packet, &bad_field))
      return cf_transfer_bad_packet(transfers->fault, bad_field);
   copy->size_B = packet.size_B;
   copy->source =
      cf_resolve_memory(resolver, packet.source, packet.size_B, 1, "source", transfers->fault);
   copy->destination = (uint8_t *)cf_resolve_memory(resolver, packet.destination, packet.size_B, 1,
                                                    "destination", transfers->fault);
   if (!copy->source || !copy->destination)
      return false;
   launch_buffers_report(transfers, CF_OPCODE_COPY_BUFFER, packet.source, 0, packet.destination,
                         packet.size_B);
   cf_transfer_count_B(transfers, packet.size_B);
   const bool overlap = copy->source < copy->destination + copy->size_B &&
                        copy->destination < copy->source + copy->size_B;
   cf_transfer_launch_step(
      transfers, &(struct step){ .work = overlap ? move_buffer : copy_slice, .user = copy },
      overlap ? 1 : slices(copy->size_B), copy->size_B <= CF_TRANSFER_SMALL_B);
   cf_written_add(transfers->config.written, copy->destination, copy->size_B);
   return true;
}

static void
fill_slice(void *user, uint32_t worker, uint32_t item)
{
   const struct buffer_fill *fill = user;
   uint32_t *to = fill->destination + (size_t)item * (SLICE_B / 4);
   const uint32_t count = slice_size_B(fill->size_B, item) / 4;
   (void)worker;
   for (uint32_t i = 0; i < count; i++)
      to[i] = fill->value;
}

bool
cf_transfer_fill_buffer(struct cf_transfers *transfers, const uint32_t *dw)
{
   struct buffer_fill *fill = &cf_transfer_next(transfers)->buffer_fill;
   struct cf_fill_buffer packet;
   const char *bad_field;
   if (!cf_fill_buffer_unpack(dw, &packet, &bad_field))
      return cf_transfer_bad_packet(transfers->fault, bad_field);
   if (packet.size_B % 4)
      return cf_fault_set(transfers->fault, "size_B", "%u is not a multiple of 4", packet.size_B);
   *fill = (struct buffer_fill){ .size_B = packet.size_B, .value = packet.value };
   fill->destination =
      (uint32_t *)cf_resolve_memory(transfers->config.resolver, packet.destination, packet.size_B,
                                    4, "destination", transfers->fault);
   if (!fill->destination)
      return false;
   launch_buffers_report(transfers, CF_OPCODE_FILL_BUFFER, 0, packet.value, packet.destination,
                         packet.size_B);
   cf_transfer_count_B(transfers, packet.size_B);
   cf_transfer_launch_step(transfers, &(struct step){ .work = fill_slice, .user = fill },
                           slices(fill->size_B), fill->size_B <= CF_TRANSFER_SMALL_B);
   cf_written_add(transfers->config.written, fill->destination, fill->size_B);
   return true;
}
