/* SPDX-License-Identifier: MIT
 *
 * Processes that fork while they draw. A step of trust_cases.c.
 */
#ifndef TRUST_FORK_H
#define TRUST_FORK_H

/* Forks so many times while work is in flight. Each child uses OpenGL without exec: it must find
 * that its context is lost, get no new one, and come to its end. */
void fork_while_drawing(unsigned times);

#endif
