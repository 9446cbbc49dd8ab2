/* SPDX-License-Identifier: MIT */
/*
 * For tests: a host that runs out of memory. The linker leads the calls of the tested code here
 * (--wrap, cf_failing_host of src/clipfree/meson.build).
 */
#ifndef CF_TEST_FAILING_HOST_H
#define CF_TEST_FAILING_HOST_H

#include <stdbool.h>

/* The host of the whole program. */
struct test_host {
   unsigned fail_at; /* number of the request that fails, or all from it on; 0: none */
   bool all;
   bool paused;               /* requests are granted, and not counted */
   unsigned requests, failed; /* since test_host_arm */
   long live;                 /* allocations of the heap that are not freed */
};

extern struct test_host test_host;

/** Let request `fail_at` fail, or all from it on; 0: none. Requests are counted from here on. */
void test_host_arm(unsigned fail_at, bool all);

/** Let nothing fail. Returns how many requests did. */
unsigned test_host_disarm(void);

/** Count a request. False: it has to fail, and errno is ENOMEM. */
bool test_host_grants(void);

#endif
