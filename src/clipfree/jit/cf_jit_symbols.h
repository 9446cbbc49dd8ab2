/* SPDX-License-Identifier: MIT */
/*
 * Symbols of compiled code for external tools: perf, through the file /tmp/perf-PID.map, and gdb,
 * through its JIT interface.
 *
 * Limitations: perf's file only grows, so that no two functions may ever have the same address
 * (cf_jit_object_unload keeps addresses reserved); a file left by an earlier process with the same
 * id is appended to. gdb finds the interface by the symbol table, so not in a stripped library.
 */
#ifndef CF_JIT_SYMBOLS_H
#define CF_JIT_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

/* A function registered with perf and gdb. */
struct cf_jit_symbol;

/** Register the function `name` at `address` with both. `file`: a malloc'd ELF object with the
 * function, for gdb, with load addresses in its sections; the symbol takes ownership. NULL: out of
 * memory. If perf's file cannot be written, that is printed once per process. Thread safe. */
struct cf_jit_symbol *cf_jit_symbol_add(const char *name, const void *address, size_t size_B,
                                        uint8_t *file, size_t file_B);

/** Unregister it from gdb. NULL is allowed. */
void cf_jit_symbol_remove(struct cf_jit_symbol *symbol);

/* ---- gdb's interface: names, layout and values of GDB's manual, "JIT Compilation Interface" ---- */

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

/** gdb sets a breakpoint here, and reads the list at each call. */
void __jit_debug_register_code(void);

#endif
