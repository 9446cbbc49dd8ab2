/* SPDX-License-Identifier: MIT */
/*
 * For tests: an observer between the GPU and another one. The host may fail (test_failing_host.h)
 * only while the other one has an event: the GPU itself always gets what it asks for.
 */
#ifndef CF_TEST_WATCHER_H
#define CF_TEST_WATCHER_H

#include "clipfree/interface/cf_observer.h"

/** `inner` stays where it is. Requests are paused from now on. The GPU has no threads. */
struct cf_observer test_watcher_between(const struct cf_observer *inner);

#endif
