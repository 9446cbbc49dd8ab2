/* SPDX-License-Identifier: MIT */

#ifndef CLIPFREE_PUBLIC_H
#define CLIPFREE_PUBLIC_H

struct pipe_screen;
struct pipe_screen_config;
struct sw_winsys;

/**
 * Create a screen with a new clipfree GPU that presents through `winsys`; NULL on failure. `config`
 * may be NULL.
 */
struct pipe_screen *clipfree_create_screen(struct sw_winsys *winsys,
                                           const struct pipe_screen_config *config);

#endif
