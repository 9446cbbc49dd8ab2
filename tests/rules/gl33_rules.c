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
   { "gl33-inputs", RULE_GL33, 220, gl33_inputs },
   { "gl33-outputs", RULE_GL33, 120, gl33_outputs },
   { "gl33-layers", RULE_GL33, 60, gl33_layers },
   { "gl33-fewer-layers", RULE_GL33, 40, gl33_fewer_layers },
   { "gl33-flat", RULE_GL33, 60, gl33_flat },
   { "gl33-conditional", RULE_GL33, 200, gl33_conditional },
   { "gl33-timers", RULE_GL33, 10, gl33_timers },
   { "gl33-draw-feedback", RULE_GL33, 60, gl33_draw_feedback },
   { "gl33-indirect", RULE_GL33, 60, gl33_indirect },
   { "gl33-persistent", RULE_GL33, 60, gl33_persistent },
   { "gl33-buffer-range", RULE_GL33, 60, gl33_buffer_range },
};

int
main(int argc, char **argv)
{
   return rules_main(argc, argv, rules, COUNT(rules));
}
