/* SPDX-License-Identifier: MIT */
/*
 * CLIPFREE_SHADERS: a file with what each shader was compiled to, for clipfree shader. A line of
 * JSON for each variant, and one for each stage that GL links; docs/shader.md has the fields.
 */
#ifndef CLIPFREE_SHADER_LOG_H
#define CLIPFREE_SHADER_LOG_H

#include <stdbool.h>
#include <stdint.h>

struct cf_binary;
struct cf_compile_options;
struct cf_screen;
struct cf_shader_log;
struct cf_shader_object;

/** Open the file that the variable names, if it does. False: it cannot be; a message says why. */
bool cf_screen_init_shader_log(struct cf_screen *screen);
void cf_screen_fini_shader_log(struct cf_screen *screen);

/** A shader is compiled with these options from now on, which get what the log needs. */
void cf_shader_log_begin(struct cf_shader_log *log, struct cf_compile_options *options);

/** It is compiled: write its line. */
void cf_shader_log_end(struct cf_screen *screen, const struct cf_shader_object *shader,
                       const struct cf_compile_options *options, const struct cf_binary *binary);

/** GL has linked a program; after its shaders were compiled. Write a line with fields of its note
 * for a stage, `name` being the stage's number and NIR's name. */
void cf_shader_log_link(struct cf_shader_log *log, const char *name, const void *fields,
                        uint32_t size_B);

#endif
