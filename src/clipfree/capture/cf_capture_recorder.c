/* SPDX-License-Identifier: MIT */
/*
 * A GPU that records what goes to another one. A captured submission first waits for all earlier
 * work, then writes every page that differs from the file's last copy of it, then its own record.
 */
#include "clipfree/capture/cf_capture_recorder.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clipfree/base/cf_hash.h"
#include "clipfree/capture/cf_capture.h"
#include "clipfree/capture/cf_capture_notes.h"
#include "clipfree/capture/cf_capture_trigger.h"
#include "clipfree/capture/cf_capture_writer.h"
#include "clipfree/interface/cf_packets.h"

#define PAGE_B 4096u
#define NO_FILE (-1)

/* A live allocation. */
struct recorded {
   struct cf_bo bo;
   uint64_t *page_hash; /* of the file's copy of each page; NULL: the file has none yet */
   /* of each page when the GPU had run the last captured submission; NULL: not known */
   uint64_t *drawn_hash;
};

struct cf_capture {
   struct cf_gpu gpu;
   struct cf_gpu *inner;
   struct cf_capture_writer *file; /* NULL: nothing more is written */
   struct cf_capture_config config;
   struct cf_capture *next; /* in the list `live` */
   pthread_mutex_t lock;
   /* under the lock */
   struct recorded *recorded;
   uint32_t recorded_count, recorded_capacity;
   struct cf_capture_trigger trigger;
   struct cf_capture_notes notes;
   unsigned captured; /* submissions in the file */
   uint64_t last_seqno;
};

/* Captures that were not destroyed. Most programs exit without destroying their GPU; missing
 * submissions are reported even then. */
static struct cf_capture *live;
static pthread_mutex_t live_lock = PTHREAD_MUTEX_INITIALIZER;

static struct cf_capture *
capture_of(struct cf_gpu *gpu)
{
   return (struct cf_capture *)gpu;
}

/* A file without any submission is removed. */
static void
close_file(struct cf_capture *capture)
{
   cf_capture_writer_close(capture->file, capture->captured == 0);
   capture->file = NULL;
}

/* Says so once. */
static void
end_early(struct cf_capture *capture, const char *why)
{
   if (!capture->file)
      return;
   fprintf(stderr, "clipfree: capture %s: %s; %s\n", capture->config.path, why,
           capture->captured ? "it ends with the submission before" : "there is none");
   close_file(capture);
}

static void
put(struct cf_capture *capture, struct cf_capture_record record, const void *payload)
{
   if (capture->file && !cf_capture_writer_put(capture->file, &record, payload))
      end_early(capture, strerror(errno));
}

static void
write_page(struct cf_capture *capture, uint64_t address, const void *page, enum cf_capture_by by)
{
   put(capture,
       (struct cf_capture_record){
          .kind = CF_CAPTURE_MEMORY, .number = by, .address = address, .size_B = PAGE_B },
       page);
}

static void
write_record(struct cf_capture *capture, enum cf_capture_kind kind, uint64_t address,
             uint64_t size_B, const void *payload)
{
   put(capture, (struct cf_capture_record){ .kind = kind, .address = address, .size_B = size_B },
       payload);
}

/* What was written can be read from now on. */
static void
flush(struct cf_capture *capture)
{
   if (capture->file && !cf_capture_writer_flush(capture->file))
      end_early(capture, strerror(errno));
}

/* Write an allocation's pages that differ from the file's copy. Allocations are whole pages. */
static void
write_changes(struct cf_capture *capture, struct recorded *recorded)
{
   const uint64_t pages = (recorded->bo.size_B + PAGE_B - 1) / PAGE_B;
   const uint8_t *map = recorded->bo.map;
   static const uint8_t zero[PAGE_B];
   if (!recorded->page_hash) {
      /* New memory is zero, as is what the file does not mention. After the first captured
       * submission the file may hold an older allocation's data there: every page differs. */
      const uint64_t hash =
         cf_hash_words(CF_HASH_NOTHING, zero, PAGE_B / 8) ^ (capture->captured > 0);
      recorded->page_hash = malloc(pages * sizeof(*recorded->page_hash));
      if (!recorded->page_hash) {
         end_early(capture, "out of memory");
         return;
      }
      for (uint64_t i = 0; i < pages; i++)
         recorded->page_hash[i] = hash;
      /* The last page is written in any case: records tell how far memory reaches. */
      recorded->page_hash[pages - 1] =
         ~cf_hash_words(CF_HASH_NOTHING, map + (pages - 1) * PAGE_B, PAGE_B / 8);
   }
   for (uint64_t i = 0; i < pages; i++) {
      const uint64_t hash = cf_hash_words(CF_HASH_NOTHING, map + i * PAGE_B, PAGE_B / 8);
      if (hash == recorded->page_hash[i])
         continue;
      recorded->page_hash[i] = hash;
      const bool drawn = recorded->drawn_hash && recorded->drawn_hash[i] == hash;
      write_page(capture, recorded->bo.address + i * PAGE_B, map + i * PAGE_B,
                 drawn ? CF_CAPTURE_BY_GPU : CF_CAPTURE_BY_HOST);
   }
}

/* Remember what a captured submission left in memory. What another thread writes meanwhile to a
 * page counts as drawn, too. */
static void
note_drawn(struct cf_capture *capture)
{
   capture->inner->ops->wait(capture->inner, capture->last_seqno, UINT64_MAX);
   for (uint32_t i = 0; i < capture->recorded_count; i++) {
      struct recorded *recorded = &capture->recorded[i];
      const uint64_t pages = (recorded->bo.size_B + PAGE_B - 1) / PAGE_B;
      const uint8_t *map = recorded->bo.map;
      if (!recorded->page_hash)
         continue;
      if (!recorded->drawn_hash)
         recorded->drawn_hash = malloc(pages * sizeof(*recorded->drawn_hash));
      for (uint64_t k = 0; recorded->drawn_hash && k < pages; k++)
         recorded->drawn_hash[k] = cf_hash_words(CF_HASH_NOTHING, map + k * PAGE_B, PAGE_B / 8);
   }
}

/* The capture is complete, or no more comes. */
static void
finish(struct cf_capture *capture)
{
   write_record(capture, CF_CAPTURE_END, 0, 0, NULL);
   flush(capture);
   if (capture->file)
      close_file(capture);
}

/* The last that is heard of the GPU. Reports what is missing. */
static void
end(struct cf_capture *capture)
{
   char text[sizeof(capture->config.marker) + 100];
   if (!capture->file)
      return;
   if (cf_trigger_ends_at_mark(&capture->trigger)) {
      cf_capture_writer_cut_to_mark(capture->file);
   } else {
      cf_trigger_describe(&capture->trigger, text, sizeof(text));
      fprintf(stderr, "clipfree: capture %s: %s\n", capture->config.path, text);
   }
   finish(capture);
}

/* Nothing of what was captured is wanted. */
static void
restart(struct cf_capture *capture)
{
   for (uint32_t i = 0; i < capture->recorded_count; i++) {
      free(capture->recorded[i].page_hash);
      free(capture->recorded[i].drawn_hash);
      capture->recorded[i].page_hash = NULL;
      capture->recorded[i].drawn_hash = NULL;
   }
   cf_capture_notes_restart(&capture->notes);
   capture->captured = 0;
   if (!cf_capture_writer_restart(capture->file))
      end_early(capture, strerror(errno));
}

static void
obey(struct cf_capture *capture, enum cf_trigger_verdict verdict)
{
   if (!capture->file)
      return;
   switch (verdict) {
   case CF_TRIGGER_GO_ON:
      break;
   case CF_TRIGGER_MARK:
      cf_capture_writer_mark(capture->file);
      break;
   case CF_TRIGGER_RESTART:
      restart(capture);
      break;
   case CF_TRIGGER_DONE:
      finish(capture);
      break;
   }
}

static void
close_live_files(void)
{
   pthread_mutex_lock(&live_lock);
   for (struct cf_capture *capture = live; capture; capture = capture->next) {
      pthread_mutex_lock(&capture->lock);
      end(capture);
      pthread_mutex_unlock(&capture->lock);
   }
   live = NULL;
   pthread_mutex_unlock(&live_lock);
}

static void
close_files_at_exit(void)
{
   atexit(close_live_files);
}

static void
add_live(struct cf_capture *capture)
{
   static pthread_once_t once = PTHREAD_ONCE_INIT;
   pthread_once(&once, close_files_at_exit);
   pthread_mutex_lock(&live_lock);
   capture->next = live;
   live = capture;
   pthread_mutex_unlock(&live_lock);
}

/* False: the exit handler has closed the file already. */
static bool
remove_live(struct cf_capture *capture)
{
   pthread_mutex_lock(&live_lock);
   struct cf_capture **at = &live;
   while (*at && *at != capture)
      at = &(*at)->next;
   const bool found = *at;
   if (found)
      *at = capture->next;
   pthread_mutex_unlock(&live_lock);
   return found;
}

static void
destroy(struct cf_gpu *gpu)
{
   struct cf_capture *capture = capture_of(gpu);
   if (remove_live(capture))
      end(capture);
   capture->inner->ops->destroy(capture->inner);
   for (uint32_t i = 0; i < capture->recorded_count; i++) {
      free(capture->recorded[i].page_hash);
      free(capture->recorded[i].drawn_hash);
   }
   free(capture->recorded);
   cf_capture_notes_free(&capture->notes);
   pthread_mutex_destroy(&capture->lock);
   free(capture);
}

/* Allocate from the inner GPU, or import a file, unless that is NO_FILE. */
static bool
record_bo(struct cf_gpu *gpu, int file, uint64_t size_B, struct cf_bo *bo)
{
   struct cf_capture *capture = capture_of(gpu);
   const struct cf_gpu_ops *inner = capture->inner->ops;
   bool ok = true;
   pthread_mutex_lock(&capture->lock);
   if (capture->recorded_count == capture->recorded_capacity) {
      const uint32_t capacity = 2 * capture->recorded_capacity + 64;
      struct recorded *grown = realloc(capture->recorded, capacity * sizeof(*grown));
      ok = grown != NULL;
      capture->recorded = ok ? grown : capture->recorded;
      capture->recorded_capacity = ok ? capacity : capture->recorded_capacity;
   }
   ok = ok && (file != NO_FILE ? inner->bo_import(capture->inner, file, size_B, bo)
                               : inner->bo_alloc(capture->inner, size_B, bo));
   if (ok)
      capture->recorded[capture->recorded_count++] = (struct recorded){ .bo = *bo };
   pthread_mutex_unlock(&capture->lock);
   return ok;
}

static bool
bo_alloc(struct cf_gpu *gpu, uint64_t size_B, struct cf_bo *bo)
{
   return record_bo(gpu, NO_FILE, size_B, bo);
}

static bool
bo_import(struct cf_gpu *gpu, int file, uint64_t size_B, struct cf_bo *bo)
{
   return record_bo(gpu, file, size_B, bo);
}

static void
bo_free(struct cf_gpu *gpu, const struct cf_bo *bo)
{
   struct cf_capture *capture = capture_of(gpu);
   pthread_mutex_lock(&capture->lock);
   for (uint32_t i = 0; i < capture->recorded_count; i++) {
      if (capture->recorded[i].bo.address != bo->address)
         continue;
      free(capture->recorded[i].page_hash);
      free(capture->recorded[i].drawn_hash);
      capture->recorded[i] = capture->recorded[--capture->recorded_count];
      break;
   }
   cf_capture_notes_drop(&capture->notes, bo->address, bo->size_B);
   capture->inner->ops->bo_free(capture->inner, bo);
   pthread_mutex_unlock(&capture->lock);
}

/* The next captured submission finds the changed pages. */
static bool
write_pixels(struct cf_gpu *gpu, const struct cf_host_pixels *pixels)
{
   struct cf_gpu *inner = capture_of(gpu)->inner;
   return inner->ops->write_pixels(inner, pixels);
}

/* All that the file has not yet: the notes of objects are written once. */
static void
write_notes(struct cf_capture *capture)
{
   for (uint32_t i = 0; i < capture->notes.count; i++) {
      struct cf_capture_note *note = &capture->notes.note[i];
      if (!note->in_file)
         write_record(capture, CF_CAPTURE_NOTE, note->address, note->size_B, note->data);
      note->in_file = true;
   }
}

static void
capture_submission(struct cf_capture *capture, uint64_t address, uint32_t size_B)
{
   capture->inner->ops->wait(capture->inner, capture->last_seqno, UINT64_MAX);
   for (uint32_t i = 0; i < capture->recorded_count; i++)
      write_changes(capture, &capture->recorded[i]);
   write_notes(capture);
   write_record(capture, CF_CAPTURE_SUBMIT, address, size_B, NULL);
   flush(capture);
   capture->captured += capture->file != NULL;
}

static uint64_t
submit(struct cf_gpu *gpu, uint64_t address, uint32_t size_B, uint64_t limit_ns)
{
   struct cf_capture *capture = capture_of(gpu);
   pthread_mutex_lock(&capture->lock);
   const bool takes = capture->file && cf_trigger_takes(&capture->trigger);
   if (takes)
      capture_submission(capture, address, size_B);
   cf_capture_notes_drop(&capture->notes, address, size_B);
   obey(capture, cf_trigger_submitted(&capture->trigger, takes));
   capture->last_seqno = capture->inner->ops->submit(capture->inner, address, size_B, limit_ns);
   if (takes && capture->file)
      note_drawn(capture);
   const uint64_t seqno = capture->last_seqno;
   pthread_mutex_unlock(&capture->lock);
   return seqno;
}

static void
kick(struct cf_gpu *gpu)
{
   struct cf_gpu *inner = capture_of(gpu)->inner;
   inner->ops->kick(inner);
}

static bool
wait_for(struct cf_gpu *gpu, uint64_t seqno, uint64_t timeout_ns)
{
   struct cf_gpu *inner = capture_of(gpu)->inner;
   return inner->ops->wait(inner, seqno, timeout_ns);
}

static uint64_t
get_param(struct cf_gpu *gpu, enum cf_gpu_param param)
{
   if (param == CF_PARAM_NOTES)
      return capture_of(gpu)->config.start == CF_CAPTURE_AT_MARKER ? CF_GPU_NOTES_AND_SPLITS
                                                                   : CF_GPU_NOTES;
   struct cf_gpu *inner = capture_of(gpu)->inner;
   return inner->ops->get_param(inner, param);
}

static enum cf_reset_status
reset_status(struct cf_gpu *gpu)
{
   struct cf_gpu *inner = capture_of(gpu)->inner;
   return inner->ops->reset_status(inner);
}

static void
last_error(struct cf_gpu *gpu, char *text, size_t size)
{
   struct cf_gpu *inner = capture_of(gpu)->inner;
   inner->ops->last_error(inner, text, size);
}

static bool
report(struct cf_gpu *gpu, uint64_t number, struct cf_report *report)
{
   struct cf_gpu *inner = capture_of(gpu)->inner;
   return inner->ops->report(inner, number, report);
}

/* The record of a frame whose last submission is in the file. */
static void
write_frame(struct cf_capture *capture, const struct cf_surface *presented)
{
   uint32_t dw[CF_SURFACE_DWORDS];
   struct cf_capture_record record = { .kind = CF_CAPTURE_FRAME,
                                       .number = capture->trigger.frames };
   if (presented) {
      cf_surface_pack(dw, presented);
      record.address = presented->address;
      record.size_B = sizeof(dw);
   }
   put(capture, record, presented ? dw : NULL);
   flush(capture);
}

static void
end_frame(struct cf_gpu *gpu, const struct cf_surface *presented)
{
   struct cf_capture *capture = capture_of(gpu);
   pthread_mutex_lock(&capture->lock);
   if (capture->file && cf_trigger_takes_frame(&capture->trigger))
      write_frame(capture, presented);
   obey(capture, cf_trigger_presented(&capture->trigger));
   capture->inner->ops->end_frame(capture->inner, presented);
   pthread_mutex_unlock(&capture->lock);
}

static void
count(struct cf_gpu *gpu, const uint64_t counts[CF_GPU_COUNTS])
{
   struct cf_gpu *inner = capture_of(gpu)->inner;
   if (inner->ops->count)
      inner->ops->count(inner, counts);
}

static void
note(struct cf_gpu *gpu, uint64_t address, const void *data, size_t size_B)
{
   struct cf_capture *capture = capture_of(gpu);
   pthread_mutex_lock(&capture->lock);
   if (capture->file)
      cf_capture_notes_put(&capture->notes, address, data, size_B);
   pthread_mutex_unlock(&capture->lock);
   if (capture->inner->ops->get_param(capture->inner, CF_PARAM_NOTES) != CF_GPU_NO_NOTES)
      capture->inner->ops->note(capture->inner, address, data, size_B);
}

static void
mark(struct cf_gpu *gpu, enum cf_gpu_mark mark, const char *text)
{
   struct cf_capture *capture = capture_of(gpu);
   pthread_mutex_lock(&capture->lock);
   obey(capture, cf_trigger_marked(&capture->trigger, mark, text));
   pthread_mutex_unlock(&capture->lock);
}

static const struct cf_gpu_ops capture_ops = {
   .destroy = destroy,
   .bo_alloc = bo_alloc,
   .bo_import = bo_import,
   .bo_free = bo_free,
   .write_pixels = write_pixels,
   .submit = submit,
   .kick = kick,
   .wait = wait_for,
   .get_param = get_param,
   .reset_status = reset_status,
   .last_error = last_error,
   .report = report,
   .end_frame = end_frame,
   .count = count,
   .note = note,
   .mark = mark,
};

struct cf_gpu *
cf_capture_create(struct cf_gpu *gpu, const struct cf_capture_config *config)
{
   struct cf_capture *capture = calloc(1, sizeof(*capture));
   if (!capture)
      return NULL;
   capture->config = *config;
   capture->file = cf_capture_writer_open(config->path);
   if (!capture->file) {
      const int error = errno;
      free(capture);
      errno = error;
      return NULL;
   }
   if (config->start == CF_CAPTURE_AT_SIGNAL)
      cf_capture_watch_signal();
   pthread_mutex_init(&capture->lock, NULL);
   capture->gpu.ops = &capture_ops;
   capture->inner = gpu;
   capture->trigger.config = &capture->config;
   capture->trigger.signals = cf_capture_signals();
   add_live(capture);
   return &capture->gpu;
}
