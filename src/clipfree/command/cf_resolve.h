/* SPDX-License-Identifier: MIT */
/*
 * Descriptors in GPU memory, resolved for the units: unpacked, with bounds checked and host
 * pointers in place of addresses. On failure every function records a fault against `field`, the
 * packet's field that holds the descriptor's address, and returns false or NULL.
 */
#ifndef CF_RESOLVE_H
#define CF_RESOLVE_H

#include "clipfree/command/cf_fault.h"
#include "clipfree/interface/cf_packets.h"
#include "clipfree/memory/cf_memory.h"
#include "clipfree/memory/cf_surface.h"
#include "clipfree/schedule/cf_written.h"
#include "clipfree/shader/cf_task.h"
#include "clipfree/texture/cf_texture.h"

#define CF_MAX_SURFACE_PX 16384

struct cf_resolver {
   const struct cf_memory *memory;
   const struct cf_written *written; /* loops in flight and the memory that they write */
};

/** Resolve size_B bytes at a multiple of align_B, to be accessed by a loop that is ordered after
 * their writers. NULL: a fault. */
const void *cf_resolve_memory(const struct cf_resolver *resolver, uint64_t address, uint64_t size_B,
                              uint32_t align_B, const char *field, struct cf_fault *fault);

/** The same, to be read by the caller at once: waits, working, until no loop in flight writes
 * them. */
const void *cf_resolve_to_read(const struct cf_resolver *resolver, uint64_t address,
                               uint64_t size_B, uint32_t align_B, const char *field,
                               struct cf_fault *fault);

/** Resolve a surface. `uses`: enum cf_format_use bits, one of which the format must have; 0: any
 * format that has pixels. */
bool cf_resolve_surface(const struct cf_resolver *resolver, uint64_t address, uint32_t uses,
                        struct cf_image *image, const char *field, struct cf_fault *fault);

/** cf_resolve_surface of a descriptor that is unpacked already. */
bool cf_resolve_unpacked_surface(const struct cf_resolver *resolver,
                                 const struct cf_surface *surface, uint32_t uses,
                                 struct cf_image *image, const char *field, struct cf_fault *fault);

bool cf_resolve_texture(const struct cf_resolver *resolver, uint64_t texture, uint64_t sampler,
                        struct cf_texture_unit *unit, struct cf_fault *fault);

/** Sets the first packet->count elements of `fetch`. */
bool cf_resolve_vertex_elements(const struct cf_resolver *resolver,
                                const struct cf_vertex_elements *packet,
                                struct cf_fetch fetch[CF_MAX_VERTEX_ELEMENTS],
                                struct cf_fault *fault);

bool cf_resolve_links(const struct cf_resolver *resolver, const struct cf_varyings *packet,
                      struct cf_link *links, struct cf_fault *fault);

/** Sets the first packet->outputs elements of `output`; each names a buffer whose stride has room
 * for it. */
bool cf_resolve_feedback_outputs(const struct cf_resolver *resolver,
                                 const struct cf_feedback *packet,
                                 struct cf_feedback_output *output, struct cf_fault *fault);

#endif
