/* SPDX-License-Identifier: MIT */
#include "clipfree/profile/cf_trace.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "clipfree/profile/cf_live.h"
#include "clipfree/profile/cf_text_file.h"

#define THREADS 256  /* threads that get a name; others have their numbers alone */
#define TEXT_LIMIT 120 /* characters of a text that are shown */

struct cf_trace {
   struct cf_live live;
   pthread_mutex_t lock;
   struct cf_text_file file;
   uint64_t start_ns; /* times count from here */
   bool has_events;
   pid_t thread[THREADS]; /* those that are named */
   uint32_t threads;
};

/* ------------------------------------------------------------------ JSON, with the lock */

static void
add_string(struct cf_trace *trace, const char *text)
{
   char escaped[6 * TEXT_LIMIT + 1], *at = escaped;
   for (uint32_t i = 0; text[i] && i < TEXT_LIMIT; i++) {
      const unsigned char c = (unsigned char)text[i];
      if (c == '"' || c == '\\')
         *at++ = '\\';
      if (c < ' ' || c > '~')
         at += sprintf(at, "\\u%04x", c);
      else
         *at++ = (char)c;
   }
   *at = 0;
   cf_text_file_add(&trace->file, "\"%s\"", escaped);
}

/* Begin an event. False: no more are written. */
static bool
begin_event(struct cf_trace *trace, const char *phase, const char *name)
{
   if (!cf_text_file_begin(&trace->file))
      return false;
   cf_text_file_add(&trace->file, "%s{\"ph\":\"%s\",\"pid\":%d,\"tid\":%d,\"name\":",
                    trace->has_events ? ",\n" : "", phase, (int)getpid(), (int)gettid());
   add_string(trace, name);
   trace->has_events = true;
   return true;
}

static void
add_time(struct cf_trace *trace, const char *name, uint64_t time_ns)
{
   cf_text_file_add(&trace->file, ",\"%s\":%" PRIu64 ".%03u", name, time_ns / 1000,
                    (unsigned)(time_ns % 1000));
}

static void
add_arguments(struct cf_trace *trace, const struct cf_trace_event *event)
{
   cf_text_file_add(&trace->file, ",\"args\":{");
   for (uint32_t i = 0; i < CF_TRACE_NUMBERS && event->number[i].name; i++)
      cf_text_file_add(&trace->file, "%s\"%s\":%" PRIu64, i ? "," : "", event->number[i].name,
                       event->number[i].value);
   if (event->text) {
      cf_text_file_add(&trace->file, "%s\"of\":", event->number[0].name ? "," : "");
      add_string(trace, event->text);
   }
   cf_text_file_add(&trace->file, "}");
}

/* Name the calling thread, if it is new. */
static void
note_thread(struct cf_trace *trace)
{
   const pid_t thread = gettid();
   char name[64] = "";
   for (uint32_t i = trace->threads; i-- > 0;) {
      if (trace->thread[i] == thread)
         return;
   }
   if (trace->threads == THREADS)
      return;
   trace->thread[trace->threads++] = thread;
   pthread_getname_np(pthread_self(), name, sizeof(name));
   if (!begin_event(trace, "M", "thread_name"))
      return;
   cf_text_file_add(&trace->file, ",\"args\":{\"name\":");
   add_string(trace, name);
   cf_text_file_add(&trace->file, "}}");
}

/* ------------------------------------------------------------------ events */

void
cf_trace_add_slice(struct cf_trace *trace, uint64_t start_ns, const struct cf_trace_event *event)
{
   const uint64_t now_ns = cf_time_ns();
   pthread_mutex_lock(&trace->lock);
   note_thread(trace);
   if (begin_event(trace, "X", event->name)) {
      add_time(trace, "ts", start_ns - trace->start_ns);
      add_time(trace, "dur", now_ns - start_ns);
      add_arguments(trace, event);
      cf_text_file_add(&trace->file, "}");
   }
   pthread_mutex_unlock(&trace->lock);
}

/* An end of a span. */
static void
add_end(struct cf_trace *trace, const char *phase, const struct cf_trace_event *event,
        uint64_t number, uint64_t time_ns)
{
   if (!begin_event(trace, phase, event->name))
      return;
   cf_text_file_add(&trace->file, ",\"cat\":\"%s\",\"id\":%" PRIu64, event->name, number);
   add_time(trace, "ts", time_ns - trace->start_ns);
   add_arguments(trace, event);
   cf_text_file_add(&trace->file, "}");
}

void
cf_trace_add_span(struct cf_trace *trace, uint64_t start_ns, const struct cf_trace_event *event,
                  uint64_t number)
{
   const uint64_t now_ns = cf_time_ns();
   pthread_mutex_lock(&trace->lock);
   add_end(trace, "b", event, number, start_ns);
   add_end(trace, "e", event, number, now_ns);
   pthread_mutex_unlock(&trace->lock);
}

/* ------------------------------------------------------------------ open and close */

static void
end(struct cf_live *live)
{
   struct cf_trace *trace = (struct cf_trace *)live;
   pthread_mutex_lock(&trace->lock);
   if (cf_text_file_begin(&trace->file))
      cf_text_file_add(&trace->file, "\n]\n");
   cf_text_file_end(&trace->file);
   pthread_mutex_unlock(&trace->lock);
}

struct cf_trace *
cf_trace_open(const char *path)
{
   struct cf_trace *trace = calloc(1, sizeof(*trace));
   if (!trace)
      return NULL;
   if (!cf_text_file_open(&trace->file, "trace", path)) {
      const int error = errno;
      free(trace);
      errno = error;
      return NULL;
   }
   pthread_mutex_init(&trace->lock, NULL);
   trace->start_ns = cf_time_ns();
   if (cf_text_file_begin(&trace->file))
      cf_text_file_add(&trace->file, "[\n");
   cf_text_file_write(&trace->file);
   cf_live_add(&trace->live, end);
   return trace;
}

void
cf_trace_close(struct cf_trace *trace)
{
   if (!trace)
      return;
   if (cf_live_remove(&trace->live))
      end(&trace->live);
   pthread_mutex_destroy(&trace->lock);
   cf_text_file_free(&trace->file);
   free(trace);
}
