/* SPDX-License-Identifier: MIT */
/*
 * Names of compiled code for those who look at the process from outside: perf, by the file /tmp/perf-PID.map, and gdb, by
 * its JIT interface.
 *
 * Limitations: perf's file only grows, so no two functions may ever be at one address (cf_jit_object_unload keeps it), and a
 * file that an earlier process of the same number left is continued. gdb finds the interface by the symbol table, so not in a
 * stripped library.
 */
#ifndef CF_JIT_SYMBOLS_H
#define CF_JIT_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

/* A function that perf and gdb were told of. */
struct cf_jit_symbol;

/** Tell both of the function `name` at `address`. `file`: an ELF object from malloc for gdb that has the function, and in its
 * sections the addresses that they are loaded at; it is the symbol's from here on. NULL: out of memory. What perf's file cannot
 * take is printed, once a process. Any thread. */
struct cf_jit_symbol *cf_jit_symbol_add(const char *name, const void *address, size_t size_B, uint8_t *file, size_t file_B);

/** Let gdb forget it, or nothing for NULL. */
void cf_jit_symbol_remove(struct cf_jit_symbol *symbol);

/* ---- gdb's interface (GDB manual, "JIT Compilation Interface"): names, layout and values are its ---- */

struct cf_jit_gdb_entry {
   struct cf_jit_gdb_entry *next, *previous;
   const void *file;
   uint64_t file_B;
};

struct cf_jit_gdb_list {
   uint32_t version; /* 1 */
   uint32_t action;  /* enum cf_jit_gdb_action: what has happened to `changed` */
   struct cf_jit_gdb_entry *changed, *first;
};

enum cf_jit_gdb_action { CF_JIT_GDB_NOTHING, CF_JIT_GDB_ADDED, CF_JIT_GDB_REMOVED };

extern struct cf_jit_gdb_list __jit_debug_descriptor;

/** gdb has a breakpoint here, and reads the list when it is called. */
void __jit_debug_register_code(void);

#endif
