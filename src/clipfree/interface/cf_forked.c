/* SPDX-License-Identifier: MIT */
#include "clipfree/interface/cf_forked.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

/* Later than all submissions of the parent. */
#define LOST_SEQNO (1ull << 62)

/* ---- a GPU that is lost ---- */

static void
complain_once(void)
{
   static atomic_flag said = ATOMIC_FLAG_INIT;
   if (!atomic_flag_test_and_set(&said))
      fprintf(stderr,
              "clipfree: this process was forked from one that uses OpenGL, whose contexts do not "
              "work here: nothing is drawn until it calls exec (docs/security.md)\n");
}

/* Its memory is the parent's, too; what is left of it goes with the process. */
static void
lost_destroy(struct cf_gpu *gpu)
{
   (void)gpu;
}

static bool
lost_bo_alloc(struct cf_gpu *gpu, uint64_t size_B, struct cf_bo *bo)
{
   (void)gpu, (void)size_B, (void)bo;
   complain_once();
   return false;
}

static void
lost_bo_free(struct cf_gpu *gpu, const struct cf_bo *bo)
{
   (void)gpu, (void)bo;
}

static bool
lost_bo_import(struct cf_gpu *gpu, int file, uint64_t size_B, struct cf_bo *bo)
{
   (void)file;
   return lost_bo_alloc(gpu, size_B, bo);
}

static bool
lost_write_pixels(struct cf_gpu *gpu, const struct cf_host_pixels *pixels)
{
   (void)gpu, (void)pixels;
   complain_once();
   return false;
}

static uint64_t
lost_submit(struct cf_gpu *gpu, uint64_t address, uint32_t size_B, uint64_t limit_ns)
{
   (void)gpu, (void)address, (void)size_B, (void)limit_ns;
   complain_once();
   return LOST_SEQNO;
}

static void
lost_kick(struct cf_gpu *gpu)
{
   (void)gpu;
}

static bool
lost_wait(struct cf_gpu *gpu, uint64_t seqno, uint64_t timeout_ns)
{
   (void)gpu, (void)seqno, (void)timeout_ns;
   complain_once();
   return true;
}

static uint64_t
lost_get_param(struct cf_gpu *gpu, enum cf_gpu_param param)
{
   (void)gpu, (void)param;
   return 0;
}

static enum cf_reset_status
lost_reset_status(struct cf_gpu *gpu)
{
   (void)gpu;
   return CF_RESET_LOST;
}

static void
lost_last_error(struct cf_gpu *gpu, char *text, size_t size)
{
   (void)gpu;
   snprintf(text, size, "the process was forked");
}

static void
lost_end_frame(struct cf_gpu *gpu, const struct cf_surface *presented)
{
   (void)gpu, (void)presented;
}

static void
lost_note(struct cf_gpu *gpu, uint64_t address, const void *note, size_t size_B)
{
   (void)gpu, (void)address, (void)note, (void)size_B;
}

static void
lost_mark(struct cf_gpu *gpu, enum cf_gpu_mark mark, const char *text)
{
   (void)gpu, (void)mark, (void)text;
}

static bool
lost_report(struct cf_gpu *gpu, uint64_t number, struct cf_report *report)
{
   (void)gpu, (void)number, (void)report;
   return false;
}

static const struct cf_gpu_ops lost_ops = {
   .destroy = lost_destroy,
   .bo_alloc = lost_bo_alloc,
   .bo_free = lost_bo_free,
   .bo_import = lost_bo_import,
   .write_pixels = lost_write_pixels,
   .submit = lost_submit,
   .kick = lost_kick,
   .wait = lost_wait,
   .get_param = lost_get_param,
   .reset_status = lost_reset_status,
   .last_error = lost_last_error,
   .end_frame = lost_end_frame,
   .note = lost_note,
   .mark = lost_mark,
   .report = lost_report,
};

/* ---- the GPUs of the process ---- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct cf_gpu *watched; /* a list by `next_watched`, under the lock */

static void
before_fork(void)
{
   pthread_mutex_lock(&lock);
}

static void
after_fork_in_parent(void)
{
   pthread_mutex_unlock(&lock);
}

static void
after_fork_in_child(void)
{
   for (struct cf_gpu *gpu = watched; gpu; gpu = gpu->next_watched)
      gpu->ops = &lost_ops;
   pthread_mutex_unlock(&lock);
}

static void
watch_forks(void)
{
   pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

void
cf_forked_watch(struct cf_gpu *gpu)
{
   pthread_once(&once, watch_forks);
   pthread_mutex_lock(&lock);
   gpu->next_watched = watched;
   watched = gpu;
   pthread_mutex_unlock(&lock);
}

void
cf_forked_forget(struct cf_gpu *gpu)
{
   pthread_mutex_lock(&lock);
   struct cf_gpu **link = &watched;
   while (*link && *link != gpu)
      link = &(*link)->next_watched;
   if (*link)
      *link = gpu->next_watched;
   pthread_mutex_unlock(&lock);
}

bool
cf_forked_is_lost(const struct cf_gpu *gpu)
{
   const bool lost = gpu->ops == &lost_ops;
   if (lost)
      complain_once();
   return lost;
}
