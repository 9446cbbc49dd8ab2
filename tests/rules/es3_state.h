/* SPDX-License-Identifier: MIT
 *
 * What the rule of OpenGL ES 3.0's state is made of.
 */
#ifndef ES3_STATE_H
#define ES3_STATE_H

#include "es3_errors.h"

/* Fails unless the queries of all types give this value (section 6.1.2). */
void expect_get(const struct rules *r, GLenum name, const char *text, GLint wanted);
#define GET(name, wanted) expect_get(r, name, #name, (GLint)(wanted))

/* The same of a query of what has a name, a target or an index. */
typedef void(GL_APIENTRYP get_of)(GLuint object, GLenum name, GLint *value);
void expect_of(const struct rules *r, get_of get, GLuint object, GLenum name, const char *text,
               GLint wanted);
#define OF(get, object, name, wanted)                                                              \
   expect_of(r, get, (GLuint)(object), name, #get " of " #name, (GLint)(wanted))

void expect_true(const struct rules *r, bool truth, const char *what);

/* es3_state_set.c: sets random states, and asks for them */
void set_states(struct rules *r);

#endif
