/* SPDX-License-Identifier: MIT */
#include "clipfree/command/test_watcher.h"

#include "clipfree/base/test_failing_host.h"

/* Passes an event on. */
#define PASS(name, ...)                                                                            \
   do {                                                                                            \
      const struct cf_observer *inner = user;                                                      \
      test_host.paused = false;                                                                    \
      inner->name(inner->user, __VA_ARGS__);                                                       \
      test_host.paused = true;                                                                     \
   } while (0)

#define EVENT(name, type)                                                                          \
   static void pass_##name(void *user, const struct type *event)                                   \
   {                                                                                               \
      PASS(name, event);                                                                           \
   }

#define EVENT_OF_TASK(name, type)                                                                  \
   static void pass_##name(void *user, const struct cf_task_event *task, const struct type *event) \
   {                                                                                               \
      PASS(name, task, event);                                                                     \
   }

EVENT(submission_begin, cf_submission_event)
EVENT(packet, cf_packet_event)
EVENT(submission_end, cf_submission_event)
EVENT(task_begin, cf_task_event)
EVENT(instruction, cf_task_event)
EVENT_OF_TASK(texel, cf_texel)
EVENT_OF_TASK(footprint, cf_footprint)
EVENT_OF_TASK(branch, cf_branch)
EVENT_OF_TASK(reference, cf_reference)
EVENT(task_end, cf_task_event)
EVENT(feedback, cf_feedback_event)
EVENT(primitive, cf_primitive_event)
EVENT(early_test, cf_fragment_event)
EVENT(fragment, cf_fragment_event)
EVENT(pixels, cf_pixels_event)
EVENT(clear, cf_clear_event)

static void
pass_note(void *user, uint64_t address, const void *note, size_t size_B)
{
   PASS(note, address, note, size_B);
}

static bool
pass_wants_texels(void *user, const struct cf_task_event *task)
{
   const struct cf_observer *inner = user;
   return inner->wants_texels(inner->user, task);
}

static bool
pass_wants_fragments(void *user, uint64_t draw)
{
   const struct cf_observer *inner = user;
   return inner->wants_fragments(inner->user, draw);
}

#define IF_WANTED(name) .name = inner->name ? pass_##name : NULL

struct cf_observer
test_watcher_between(const struct cf_observer *inner)
{
   test_host.paused = true;
   return (struct cf_observer){
      .user = (void *)inner,
      IF_WANTED(submission_begin),
      IF_WANTED(packet),
      IF_WANTED(submission_end),
      IF_WANTED(task_begin),
      IF_WANTED(instruction),
      IF_WANTED(texel),
      IF_WANTED(footprint),
      IF_WANTED(wants_texels),
      IF_WANTED(branch),
      IF_WANTED(reference),
      IF_WANTED(task_end),
      IF_WANTED(feedback),
      IF_WANTED(primitive),
      IF_WANTED(early_test),
      IF_WANTED(fragment),
      IF_WANTED(wants_fragments),
      IF_WANTED(pixels),
      IF_WANTED(clear),
      IF_WANTED(note),
      .fragment_tasks = inner->fragment_tasks,
      .fragment_pixels = inner->fragment_pixels,
      .fragment_depths = inner->fragment_depths,
   };
}
