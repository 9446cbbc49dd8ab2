/* SPDX-License-Identifier: MIT */
#include "clipfree/jit/cf_jit_symbols.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct cf_jit_symbol {
   struct cf_jit_gdb_entry entry;
   uint8_t *file;
};

/* ---- perf ---- */

static void
complain_once(const char *path)
{
   static atomic_flag said = ATOMIC_FLAG_INIT;
   if (!atomic_flag_test_and_set(&said))
      fprintf(stderr, "clipfree: perf will not know compiled shaders: %s cannot be written: %s\n",
              path, strerror(errno));
}

/* The process id is read each time: after a fork the child has a file of its own, and perf takes
 * older code from the parent's. A line is a single append, so that threads, GPUs and other
 * compilers may share the file. */
static void
add_to_perf_map(const char *name, const void *address, size_t size_B)
{
   char path[64], line[192];
   snprintf(path, sizeof(path), "/tmp/perf-%ld.map", (long)getpid());
   const int length =
      snprintf(line, sizeof(line), "%" PRIxPTR " %zx %.128s\n", (uintptr_t)address, size_B, name);
   const int file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
   if (file < 0 || write(file, line, (size_t)length) != length)
      complain_once(path);
   if (file >= 0)
      close(file);
}

/* ---- gdb ---- */

/* gdb's interface is global to the process, hence the lock. */
static pthread_mutex_t gdb_lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((used)) struct cf_jit_gdb_list __jit_debug_descriptor = { .version = 1 };

__attribute__((noinline, used)) void
__jit_debug_register_code(void)
{
   /* keeps the compiler from removing calls of this empty function */
   __asm__ volatile("" ::: "memory");
}

/* With the lock. */
static void
notify_gdb(enum cf_jit_gdb_action action, struct cf_jit_gdb_entry *entry)
{
   __jit_debug_descriptor.action = action;
   __jit_debug_descriptor.changed = entry;
   __jit_debug_register_code();
   __jit_debug_descriptor.action = CF_JIT_GDB_NOTHING;
   __jit_debug_descriptor.changed = NULL;
}

static void
add_to_gdb(struct cf_jit_gdb_entry *entry)
{
   pthread_mutex_lock(&gdb_lock);
   entry->next = __jit_debug_descriptor.first;
   if (entry->next)
      entry->next->previous = entry;
   __jit_debug_descriptor.first = entry;
   notify_gdb(CF_JIT_GDB_ADDED, entry);
   pthread_mutex_unlock(&gdb_lock);
}

static void
remove_from_gdb(struct cf_jit_gdb_entry *entry)
{
   pthread_mutex_lock(&gdb_lock);
   if (entry->next)
      entry->next->previous = entry->previous;
   if (entry->previous)
      entry->previous->next = entry->next;
   else
      __jit_debug_descriptor.first = entry->next;
   notify_gdb(CF_JIT_GDB_REMOVED, entry);
   pthread_mutex_unlock(&gdb_lock);
}

/* ---- symbols ---- */

struct cf_jit_symbol *
cf_jit_symbol_add(const char *name, const void *address, size_t size_B, uint8_t *file,
                  size_t file_B)
{
   struct cf_jit_symbol *symbol = file ? calloc(1, sizeof(*symbol)) : NULL;
   if (!symbol) {
      free(file);
      return NULL;
   }
   symbol->file = file;
   symbol->entry.file = file;
   symbol->entry.file_B = file_B;
   add_to_perf_map(name, address, size_B);
   add_to_gdb(&symbol->entry);
   return symbol;
}

void
cf_jit_symbol_remove(struct cf_jit_symbol *symbol)
{
   if (!symbol)
      return;
   remove_from_gdb(&symbol->entry);
   free(symbol->file);
   free(symbol);
}
