/* SPDX-License-Identifier: MIT */
/*
 * The first fault of a submission, as text that names packet, address and field.
 */
#ifndef CF_FAULT_H
#define CF_FAULT_H

#include <stdbool.h>
#include <stdint.h>

struct cf_fault {
   /* the packet being parsed */
   const char *packet;
   uint64_t address;
   /* the first fault of the submission; "" if none */
   char text[320];
   bool out_of_memory; /* it is not the submission's: the host has no memory for it */
};

/** Record "packet NAME at 0xADDRESS: field FIELD: ..." unless there is a fault already. Always
 * returns false. */
bool cf_fault_set(struct cf_fault *fault, const char *field, const char *format, ...)
   __attribute__((format(printf, 3, 4)));

/** The same where the host has no memory: "... field FIELD: out of host memory". */
bool cf_fault_out_of_memory(struct cf_fault *fault, const char *field);

#endif
