/* SPDX-License-Identifier: MIT
 *
 * Rules of what OpenGL 3.1 to 3.3 add: see rules.h for the command line.
 */
#include "gl33_rules.h"

#include <string.h>

struct gl33_calls
gl33_calls(void)
{
   if (!strstr((const char *)glGetString(GL_EXTENSIONS), "GL_ARB_texture_multisample"))
      rules_skip("there are no multisample textures");
   return (struct gl33_calls){
      (gl33_image_2d *)eglGetProcAddress("glTexImage2DMultisample"),
      (gl33_image_3d *)eglGetProcAddress("glTexImage3DMultisample"),
      (PFNGLSAMPLEMASKIPROC)eglGetProcAddress("glSampleMaski"),
      (PFNGLGETMULTISAMPLEFVPROC)eglGetProcAddress("glGetMultisamplefv"),
      (PFNGLGETTEXLEVELPARAMETERIVPROC)eglGetProcAddress("glGetTexLevelParameteriv"),
   };
}

static const struct rule rules[] = {
   { "gl33-samples", RULE_DESKTOP, 300, gl33_samples },
   { "gl33-sample-positions", RULE_DESKTOP, 100, gl33_sample_positions },
   { "gl33-sample-errors", RULE_DESKTOP, 1, gl33_sample_errors },
};

int
main(int argc, char **argv)
{
   return rules_main(argc, argv, rules, COUNT(rules));
}
