/* SPDX-License-Identifier: MIT
 *
 * EGL's interface: which configurations are chosen and in which order, what is refused with which
 * error, what a surface and a context say of themselves, and where functions are found (EGL 1.5,
 * chapter 3).
 */
#include "extension_checks.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_CONFIGS = 200, REQUESTS = 400 };

static EGLint
config_value(EGLDisplay display, EGLConfig config, EGLint name)
{
   EGLint value = -1;
   if (!eglGetConfigAttrib(display, config, name, &value))
      die("eglGetConfigAttrib of 0x%x fails: 0x%x", name, eglGetError());
   return value;
}

/* ---------------------------------------------------------------------- choosing configurations */

enum rule { AT_LEAST, EXACT, MASK };

/* Table 3.4, but for what this platform has one value of. */
static const struct attribute {
   EGLint name;
   enum rule rule;
   EGLint absent; /* what holds where a request does not name it */
   EGLint values[4];
} attributes[] = {
   { EGL_RED_SIZE, AT_LEAST, 0, { 0, 5, 8, EGL_DONT_CARE } },
   { EGL_GREEN_SIZE, AT_LEAST, 0, { 0, 6, 8, EGL_DONT_CARE } },
   { EGL_BLUE_SIZE, AT_LEAST, 0, { 0, 1, 8, EGL_DONT_CARE } },
   { EGL_ALPHA_SIZE, AT_LEAST, 0, { 0, 1, 8, EGL_DONT_CARE } },
   { EGL_BUFFER_SIZE, AT_LEAST, 0, { 0, 16, 24, 32 } },
   { EGL_DEPTH_SIZE, AT_LEAST, 0, { 0, 1, 16, 24 } },
   { EGL_STENCIL_SIZE, AT_LEAST, 0, { 0, 1, 8, EGL_DONT_CARE } },
   { EGL_SAMPLE_BUFFERS, AT_LEAST, 0, { 0, 1, 1, EGL_DONT_CARE } },
   { EGL_SAMPLES, AT_LEAST, 0, { 0, 1, 4, 5 } },
   { EGL_ALPHA_MASK_SIZE, AT_LEAST, 0, { 0, 0, 0, EGL_DONT_CARE } },
   { EGL_CONFIG_CAVEAT, EXACT, EGL_DONT_CARE, { EGL_NONE, EGL_NONE, EGL_SLOW_CONFIG, EGL_DONT_CARE } },
   { EGL_COLOR_BUFFER_TYPE, EXACT, EGL_RGB_BUFFER, { EGL_RGB_BUFFER, EGL_RGB_BUFFER, EGL_LUMINANCE_BUFFER, EGL_DONT_CARE } },
   { EGL_COLOR_COMPONENT_TYPE_EXT, EXACT, EGL_COLOR_COMPONENT_TYPE_FIXED_EXT,
     { EGL_COLOR_COMPONENT_TYPE_FIXED_EXT, EGL_COLOR_COMPONENT_TYPE_FIXED_EXT, EGL_COLOR_COMPONENT_TYPE_FLOAT_EXT,
       EGL_DONT_CARE } },
   { EGL_LEVEL, EXACT, 0, { 0, 0, 0, 1 } },
   { EGL_NATIVE_RENDERABLE, EXACT, EGL_DONT_CARE, { EGL_TRUE, EGL_FALSE, EGL_DONT_CARE, EGL_DONT_CARE } },
   { EGL_BIND_TO_TEXTURE_RGB, EXACT, EGL_DONT_CARE, { EGL_TRUE, EGL_FALSE, EGL_DONT_CARE, EGL_DONT_CARE } },
   { EGL_BIND_TO_TEXTURE_RGBA, EXACT, EGL_DONT_CARE, { EGL_TRUE, EGL_FALSE, EGL_DONT_CARE, EGL_DONT_CARE } },
   { EGL_MIN_SWAP_INTERVAL, EXACT, EGL_DONT_CARE, { 0, 1, EGL_DONT_CARE, EGL_DONT_CARE } },
   { EGL_TRANSPARENT_TYPE, EXACT, EGL_NONE, { EGL_NONE, EGL_NONE, EGL_NONE, EGL_TRANSPARENT_RGB } },
   { EGL_RENDERABLE_TYPE,
     MASK,
     EGL_OPENGL_ES_BIT,
     { EGL_OPENGL_ES2_BIT, EGL_OPENGL_BIT, EGL_OPENVG_BIT, 0 } },
   { EGL_CONFORMANT, MASK, 0, { EGL_OPENGL_ES2_BIT, EGL_OPENGL_BIT, 0, 0 } },
   { EGL_SURFACE_TYPE,
     MASK,
     EGL_WINDOW_BIT,
     { EGL_PBUFFER_BIT, EGL_PBUFFER_BIT, 0, EGL_PIXMAP_BIT } },
};
enum { ATTRIBUTES = sizeof(attributes) / sizeof(attributes[0]) };

/* What is wanted, attribute by attribute, named or not. */
struct request {
   EGLint wanted[ATTRIBUTES];
   EGLint list[2 * ATTRIBUTES + 1];
};

static struct request
random_request(uint64_t *seed)
{
   struct request request;
   int length = 0;
   for (int i = 0; i < ATTRIBUTES; i++) {
      const struct attribute *a = &attributes[i];
      const uint32_t percent = a->rule == MASK ? 90 : a->rule == EXACT ? 8 : 25;
      request.wanted[i] = a->absent;
      if (random_below(seed, 100) >= percent)
         continue;
      request.wanted[i] = a->values[random_below(seed, 4)];
      request.list[length++] = a->name;
      request.list[length++] = request.wanted[i];
   }
   request.list[length] = EGL_NONE;
   return request;
}

static bool
fits(EGLDisplay display, EGLConfig config, const struct request *request)
{
   for (int i = 0; i < ATTRIBUTES; i++) {
      const EGLint wanted = request->wanted[i],
                   value = config_value(display, config, attributes[i].name);
      if (wanted == EGL_DONT_CARE)
         continue;
      if (attributes[i].rule == AT_LEAST ? value < wanted
          : attributes[i].rule == EXACT  ? value != wanted
                                         : (value & wanted) != wanted)
         return false;
   }
   return true;
}

/* Section 3.4.1.2: colour bits count where a request asks for some, and more come first; of the
 * rest less comes first. */
static EGLint
colour_bits(EGLDisplay display, EGLConfig config, const struct request *request)
{
   EGLint bits = 0;
   for (int i = 0; i < 4; i++)
      if (request->wanted[i] != 0 && request->wanted[i] != EGL_DONT_CARE)
         bits += config_value(display, config, attributes[i].name);
   return bits;
}

static bool
comes_before(EGLDisplay display, EGLConfig a, EGLConfig b, const struct request *request)
{
   static const EGLint caveats[] = { EGL_NONE, EGL_SLOW_CONFIG, EGL_NON_CONFORMANT_CONFIG };
   static const EGLint smaller[] = { EGL_BUFFER_SIZE, EGL_SAMPLE_BUFFERS, EGL_SAMPLES,
                                     EGL_DEPTH_SIZE,  EGL_STENCIL_SIZE,   EGL_ALPHA_MASK_SIZE };
   EGLint rank[2] = { 0, 0 };
   for (int i = 0; i < 2; i++)
      while (caveats[rank[i]] != config_value(display, i ? b : a, EGL_CONFIG_CAVEAT))
         rank[i]++;
   if (rank[0] != rank[1])
      return rank[0] < rank[1];
   const EGLint type_a = config_value(display, a, EGL_COLOR_COMPONENT_TYPE_EXT),
                type_b = config_value(display, b, EGL_COLOR_COMPONENT_TYPE_EXT);
   if (type_a != type_b)
      return type_a == EGL_COLOR_COMPONENT_TYPE_FIXED_EXT;
   const EGLint bits_a = colour_bits(display, a, request),
                bits_b = colour_bits(display, b, request);
   if (bits_a != bits_b)
      return bits_a > bits_b;
   for (size_t i = 0; i < sizeof(smaller) / sizeof(smaller[0]); i++) {
      const EGLint value_a = config_value(display, a, smaller[i]),
                   value_b = config_value(display, b, smaller[i]);
      if (value_a != value_b)
         return value_a < value_b;
   }
   /* by their visual types, as an implementation likes, then by their numbers */
   return config_value(display, a, EGL_NATIVE_VISUAL_TYPE) !=
             config_value(display, b, EGL_NATIVE_VISUAL_TYPE) ||
          config_value(display, a, EGL_CONFIG_ID) < config_value(display, b, EGL_CONFIG_ID);
}

static void
print_request(const struct request *request)
{
   for (int i = 0; request->list[i] != EGL_NONE; i += 2)
      printf("0x%x: %d, ", request->list[i], request->list[i + 1]);
   printf("\n");
}

/* Of all configurations those that a random request asks for are chosen, none else, in their
 * order. */
static void
check_choose_order(EGLDisplay display)
{
   EGLConfig all[MOST_CONFIGS], chosen[MOST_CONFIGS];
   EGLint all_count, count, only;
   uint64_t seed = 1;
   int found = 0;
   eglGetConfigs(display, all, MOST_CONFIGS, &all_count);
   for (int n = 0; n < REQUESTS; n++) {
      const struct request request = random_request(&seed);
      EGLint wanted = 0;
      if (!eglChooseConfig(display, request.list, chosen, MOST_CONFIGS, &count) ||
          !eglChooseConfig(display, request.list, NULL, 0, &only))
         die("eglChooseConfig fails: 0x%x", eglGetError());
      for (int i = 0; i < all_count; i++)
         wanted += fits(display, all[i], &request);
      for (int i = 0; i < count; i++) {
         const bool in_order = i == 0 || comes_before(display, chosen[i - 1], chosen[i], &request);
         if (!fits(display, chosen[i], &request) || !in_order) {
            print_request(&request);
            die("configuration %d is chosen, place %d%s",
                config_value(display, chosen[i], EGL_CONFIG_ID), i,
                in_order ? "" : ", but not in order");
         }
      }
      if (count != wanted || only != count) {
         print_request(&request);
         die("%d configurations are chosen, %d are counted, %d fit", count, only, wanted);
      }
      found += count > 1;
      /* by its number a configuration is found whatever else is asked for */
      const EGLint number = config_value(display, all[n % all_count], EGL_CONFIG_ID);
      const EGLint by_number[] = { EGL_RED_SIZE, 77, EGL_CONFIG_ID, number, EGL_NONE };
      if (!eglChooseConfig(display, by_number, chosen, MOST_CONFIGS, &count) || count != 1 ||
          chosen[0] != all[n % all_count])
         die("configuration %d is not chosen by its number", number);
   }
   if (found < REQUESTS / 10)
      die("only %d requests choose anything", found);
}

/* --------------------------------------------------------------------------------------- errors */

static void
expect_refused(bool taken, EGLint wanted, const char *call)
{
   const EGLint error = eglGetError();
   if (taken || error != wanted)
      die("%s is %s and gives 0x%x, not 0x%x", call, taken ? "taken" : "refused", error, wanted);
}

static void
expect_taken(bool taken, const char *call)
{
   if (!taken)
      die("%s is refused: 0x%x", call, eglGetError());
}
#define REFUSED(error, call) expect_refused((call) != 0, error, #call)
#define TAKEN(call) expect_taken((call) != 0, #call)

static EGLConfig
any_config(EGLDisplay display)
{
   static const EGLint wanted[] = { EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE,
                                    EGL_OPENGL_ES2_BIT, EGL_NONE };
   EGLConfig config;
   EGLint count;
   if (!eglChooseConfig(display, wanted, &config, 1, &count) || count != 1)
      die("no configuration");
   return config;
}

static const EGLint es2[] = { EGL_CONTEXT_CLIENT_VERSION, 2, EGL_NONE };
static const EGLint small[] = { EGL_WIDTH, 16, EGL_HEIGHT, 16, EGL_NONE };
#define LIST(...) ((const EGLint[]){ __VA_ARGS__, EGL_NONE })
#define NO_SUCH ((void *)(uintptr_t)0x1230)

static void
wrong_displays(EGLDisplay display)
{
   const EGLDisplay none[2] = { EGL_NO_DISPLAY, NO_SUCH };
   EGLint value;
   EGLConfig config;
   for (int i = 0; i < 2; i++) {
      const EGLDisplay d = none[i];
      REFUSED(EGL_BAD_DISPLAY, eglInitialize(d, NULL, NULL));
      REFUSED(EGL_BAD_DISPLAY, eglGetConfigs(d, &config, 1, &value));
      REFUSED(EGL_BAD_DISPLAY, eglChooseConfig(d, NULL, &config, 1, &value));
      REFUSED(EGL_BAD_DISPLAY, eglGetConfigAttrib(d, any_config(display), EGL_RED_SIZE, &value));
      REFUSED(EGL_BAD_DISPLAY, eglCreateContext(d, any_config(display), EGL_NO_CONTEXT, es2));
      REFUSED(EGL_BAD_DISPLAY, eglCreatePbufferSurface(d, any_config(display), small));
      REFUSED(EGL_BAD_DISPLAY, eglDestroyContext(d, NO_SUCH));
      REFUSED(EGL_BAD_DISPLAY, eglDestroySurface(d, NO_SUCH));
      REFUSED(EGL_BAD_DISPLAY, eglSwapBuffers(d, NO_SUCH));
      REFUSED(EGL_BAD_DISPLAY, eglQueryContext(d, NO_SUCH, EGL_CONFIG_ID, &value));
      REFUSED(EGL_BAD_DISPLAY, eglQuerySurface(d, NO_SUCH, EGL_WIDTH, &value));
      REFUSED(EGL_BAD_DISPLAY,
              eglSurfaceAttrib(d, NO_SUCH, EGL_SWAP_BEHAVIOR, EGL_BUFFER_PRESERVED));
      REFUSED(EGL_BAD_DISPLAY, eglBindTexImage(d, NO_SUCH, EGL_BACK_BUFFER));
      REFUSED(EGL_BAD_DISPLAY, eglReleaseTexImage(d, NO_SUCH, EGL_BACK_BUFFER));
      REFUSED(EGL_BAD_DISPLAY, eglCopyBuffers(d, NO_SUCH, 0));
      REFUSED(EGL_BAD_DISPLAY, eglSwapInterval(d, 1));
      REFUSED(EGL_BAD_DISPLAY, eglTerminate(d));
   }
   REFUSED(EGL_BAD_DISPLAY, eglQueryString(NO_SUCH, EGL_VENDOR));
   REFUSED(EGL_BAD_DISPLAY, eglQueryString(EGL_NO_DISPLAY, EGL_VENDOR));
   REFUSED(EGL_BAD_PARAMETER, eglQueryString(display, -1));
   TAKEN(eglQueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS));
}

static void
wrong_configs(EGLDisplay display)
{
   EGLConfig config;
   EGLint value;
   REFUSED(EGL_BAD_PARAMETER, eglGetConfigs(display, &config, 1, NULL));
   REFUSED(EGL_BAD_PARAMETER, eglChooseConfig(display, NULL, &config, 1, NULL));
   REFUSED(EGL_BAD_ATTRIBUTE, eglChooseConfig(display, LIST(EGL_WIDTH, 1), &config, 1, &value));
   REFUSED(EGL_BAD_ATTRIBUTE, eglChooseConfig(display, LIST(-7, 1), &config, 1, &value));
   REFUSED(EGL_BAD_ATTRIBUTE, eglChooseConfig(display, LIST(EGL_RED_SIZE, -2), &config, 1, &value));
   REFUSED(EGL_BAD_ATTRIBUTE,
           eglChooseConfig(display, LIST(EGL_CONFIG_CAVEAT, EGL_TRUE), &config, 1, &value));
   REFUSED(EGL_BAD_ATTRIBUTE,
           eglChooseConfig(display, LIST(EGL_SURFACE_TYPE, 1 << 30), &config, 1, &value));
   REFUSED(EGL_BAD_CONFIG, eglGetConfigAttrib(display, NO_SUCH, EGL_RED_SIZE, &value));
   REFUSED(EGL_BAD_ATTRIBUTE, eglGetConfigAttrib(display, any_config(display), EGL_WIDTH, &value));
   REFUSED(EGL_BAD_PARAMETER, eglBindAPI(0));
   REFUSED(EGL_BAD_PARAMETER, eglBindAPI(EGL_OPENGL_ES2_BIT));
   TAKEN(eglBindAPI(EGL_OPENGL_ES_API));
}

static void
wrong_contexts(EGLDisplay display)
{
   const EGLConfig config = any_config(display);
   EGLint value;
   REFUSED(EGL_BAD_CONFIG, eglCreateContext(display, NO_SUCH, EGL_NO_CONTEXT, es2));
   REFUSED(EGL_BAD_CONTEXT, eglCreateContext(display, config, NO_SUCH, es2));
   REFUSED(EGL_BAD_ATTRIBUTE,
           eglCreateContext(display, config, EGL_NO_CONTEXT, LIST(EGL_WIDTH, 1)));
   REFUSED(EGL_BAD_MATCH,
           eglCreateContext(display, config, EGL_NO_CONTEXT,
                            LIST(EGL_CONTEXT_CLIENT_VERSION, 3, EGL_CONTEXT_MINOR_VERSION_KHR, 1)));
   REFUSED(EGL_BAD_MATCH,
           eglCreateContext(display, config, EGL_NO_CONTEXT, LIST(EGL_CONTEXT_CLIENT_VERSION, 5)));
   const EGLContext context = eglCreateContext(display, config, EGL_NO_CONTEXT, es2);
   const EGLSurface surface = eglCreatePbufferSurface(display, config, small);
   REFUSED(EGL_BAD_CONTEXT, eglQueryContext(display, EGL_NO_CONTEXT, EGL_CONFIG_ID, &value));
   REFUSED(EGL_BAD_CONTEXT, eglQueryContext(display, NO_SUCH, EGL_CONFIG_ID, &value));
   REFUSED(EGL_BAD_ATTRIBUTE, eglQueryContext(display, context, EGL_RED_SIZE, &value));
   REFUSED(EGL_BAD_CONTEXT, eglDestroyContext(display, EGL_NO_CONTEXT));
   REFUSED(EGL_BAD_CONTEXT, eglDestroyContext(display, NO_SUCH));
   REFUSED(EGL_BAD_SURFACE, eglMakeCurrent(display, NO_SUCH, surface, context));
   REFUSED(EGL_BAD_SURFACE, eglMakeCurrent(display, surface, NO_SUCH, context));
   REFUSED(EGL_BAD_CONTEXT, eglMakeCurrent(display, surface, surface, NO_SUCH));
   REFUSED(EGL_BAD_MATCH, eglMakeCurrent(display, surface, EGL_NO_SURFACE, context));
   REFUSED(EGL_BAD_MATCH, eglMakeCurrent(display, EGL_NO_SURFACE, surface, context));
   REFUSED(EGL_BAD_MATCH, eglMakeCurrent(display, surface, surface, EGL_NO_CONTEXT));
   REFUSED(EGL_BAD_CONTEXT, eglSwapInterval(display, 1)); /* none is current */
   TAKEN(eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context));
   REFUSED(EGL_BAD_SURFACE, eglSwapInterval(display, 1)); /* a context without a surface */
   TAKEN(eglMakeCurrent(display, surface, surface, context));
   TAKEN(eglSwapInterval(display, 1));
   TAKEN(eglWaitNative(EGL_CORE_NATIVE_ENGINE));
   REFUSED(EGL_BAD_PARAMETER, eglGetCurrentSurface(EGL_NONE));
   REFUSED(EGL_BAD_PARAMETER, eglWaitNative(EGL_RED_SIZE));
   TAKEN(eglSwapBuffers(display, surface)); /* of a pbuffer: no effect */
   TAKEN(eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT));
   TAKEN(eglDestroyContext(display, context));
   TAKEN(eglDestroySurface(display, surface));
   REFUSED(EGL_BAD_CONTEXT, eglQueryContext(display, context, EGL_CONFIG_ID, &value));
   REFUSED(EGL_BAD_SURFACE, eglQuerySurface(display, surface, EGL_WIDTH, &value));
}

/* Of pbuffers that can be textures; a context is current. */
static void
wrong_texture_buffers(EGLDisplay display)
{
   static const EGLint textured[] = { EGL_WIDTH, 16, EGL_HEIGHT, 16, EGL_TEXTURE_TARGET, EGL_TEXTURE_2D,
                                      EGL_TEXTURE_FORMAT, EGL_TEXTURE_RGBA, EGL_NONE };
   EGLConfig config;
   EGLint count;
   if (!eglChooseConfig(display,
                        LIST(EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_BIND_TO_TEXTURE_RGBA, EGL_TRUE),
                        &config, 1, &count) ||
       !count)
      die("no configuration whose pbuffers are textures");
   const EGLSurface surface = eglCreatePbufferSurface(display, config, textured);
   REFUSED(EGL_BAD_PARAMETER, eglBindTexImage(display, surface, EGL_WIDTH));
   REFUSED(EGL_BAD_PARAMETER, eglReleaseTexImage(display, surface, EGL_WIDTH));
   const EGLSurface other = eglCreatePbufferSurface(display, config, textured);
   GLuint texture;
   TAKEN(eglReleaseTexImage(display, surface, EGL_BACK_BUFFER)); /* is not bound: no error */
   glGenTextures(1, &texture);
   glBindTexture(GL_TEXTURE_2D, texture);
   TAKEN(eglBindTexImage(display, surface, EGL_BACK_BUFFER));
   REFUSED(EGL_BAD_ACCESS, eglBindTexImage(display, surface, EGL_BACK_BUFFER));
   glBindTexture(GL_TEXTURE_2D, 0);
   REFUSED(EGL_BAD_ACCESS, eglBindTexImage(display, surface, EGL_BACK_BUFFER));
   TAKEN(eglReleaseTexImage(display, surface, EGL_BACK_BUFFER));
   glBindTexture(GL_TEXTURE_2D, texture);
   TAKEN(eglBindTexImage(display, surface, EGL_BACK_BUFFER));
   /* released by what takes its place, by new images and with the texture: section 3.6.1 */
   TAKEN(eglBindTexImage(display, other, EGL_BACK_BUFFER));
   REFUSED(EGL_BAD_ACCESS, eglBindTexImage(display, other, EGL_BACK_BUFFER));
   TAKEN(eglBindTexImage(display, surface, EGL_BACK_BUFFER));
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 1, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
   TAKEN(eglBindTexImage(display, surface, EGL_BACK_BUFFER));
   glCopyTexImage2D(GL_TEXTURE_2D, 0, GL_RGB, 0, 0, 1, 1, 0);
   TAKEN(eglBindTexImage(display, surface, EGL_BACK_BUFFER));
   glDeleteTextures(1, &texture);
   TAKEN(eglBindTexImage(display, surface, EGL_BACK_BUFFER));
   TAKEN(eglReleaseTexImage(display, surface, EGL_BACK_BUFFER));
   TAKEN(eglDestroySurface(display, other));
   TAKEN(eglDestroySurface(display, surface));
}

static void
wrong_surfaces(EGLDisplay display)
{
   const EGLConfig config = any_config(display);
   EGLint value;
   REFUSED(EGL_BAD_CONFIG, eglCreatePbufferSurface(display, NO_SUCH, small));
   REFUSED(EGL_BAD_ATTRIBUTE, eglCreatePbufferSurface(display, config, LIST(EGL_RED_SIZE, 1)));
   REFUSED(EGL_BAD_PARAMETER,
           eglCreatePbufferSurface(display, config, LIST(EGL_WIDTH, -1, EGL_HEIGHT, 1)));
   REFUSED(EGL_BAD_PARAMETER,
           eglCreatePbufferSurface(display, config, LIST(EGL_WIDTH, 1, EGL_HEIGHT, -1)));
   REFUSED(EGL_BAD_MATCH, eglCreatePbufferSurface(display, config, LIST(
                      EGL_WIDTH, 1, EGL_HEIGHT, 1, EGL_TEXTURE_FORMAT, EGL_TEXTURE_RGB)));
   REFUSED(EGL_BAD_MATCH, eglCreatePbufferSurface(display, config, LIST(
                      EGL_WIDTH, 1, EGL_HEIGHT, 1, EGL_TEXTURE_TARGET, EGL_TEXTURE_2D)));
   const EGLSurface surface = eglCreatePbufferSurface(display, config, small);
   REFUSED(EGL_BAD_SURFACE, eglQuerySurface(display, EGL_NO_SURFACE, EGL_WIDTH, &value));
   REFUSED(EGL_BAD_SURFACE, eglQuerySurface(display, NO_SUCH, EGL_WIDTH, &value));
   REFUSED(EGL_BAD_ATTRIBUTE, eglQuerySurface(display, surface, EGL_RED_SIZE, &value));
   REFUSED(EGL_BAD_SURFACE, eglDestroySurface(display, EGL_NO_SURFACE));
   REFUSED(EGL_BAD_SURFACE, eglDestroySurface(display, NO_SUCH));
   REFUSED(EGL_BAD_SURFACE, eglSwapBuffers(display, NO_SUCH));
   REFUSED(EGL_BAD_SURFACE, eglSurfaceAttrib(display, NO_SUCH, EGL_MIPMAP_LEVEL, 0));
   REFUSED(EGL_BAD_ATTRIBUTE, eglSurfaceAttrib(display, surface, EGL_RED_SIZE, 0));
   TAKEN(eglSurfaceAttrib(display, surface, EGL_MIPMAP_LEVEL, 1));
   const EGLContext context = context_of(display, config);
   make_current(display, surface, context);
   REFUSED(EGL_BAD_SURFACE, eglBindTexImage(display, NO_SUCH, EGL_BACK_BUFFER));
   /* has no texture format */
   REFUSED(EGL_BAD_MATCH, eglBindTexImage(display, surface, EGL_BACK_BUFFER));
   REFUSED(EGL_BAD_SURFACE, eglReleaseTexImage(display, NO_SUCH, EGL_BACK_BUFFER));
   REFUSED(EGL_BAD_MATCH, eglReleaseTexImage(display, surface, EGL_BACK_BUFFER));
   wrong_texture_buffers(display);
   REFUSED(EGL_BAD_PARAMETER,
           eglCreatePbufferFromClientBuffer(display, EGL_WIDTH, 0, config, NULL));
   make_current(display, EGL_NO_SURFACE, EGL_NO_CONTEXT);
   TAKEN(eglDestroyContext(display, context));
   TAKEN(eglDestroySurface(display, surface));
}

/* Syncs of EGL 1.5 and of its extensions, whose errors differ in one place. A value that is refused
 * is not written. */
static void
wrong_syncs(EGLDisplay display, EGLenum type)
{
   const PFNEGLCREATESYNCKHRPROC create =
      (PFNEGLCREATESYNCKHRPROC)eglGetProcAddress("eglCreateSyncKHR");
   const PFNEGLSIGNALSYNCKHRPROC signal =
      (PFNEGLSIGNALSYNCKHRPROC)eglGetProcAddress("eglSignalSyncKHR");
   const bool fence = type == EGL_SYNC_FENCE;
   EGLAttrib value = 12345;
   const EGLContext context = context_of(display, any_config(display));
   make_current(display, EGL_NO_SURFACE, context);
   REFUSED(EGL_BAD_DISPLAY, eglCreateSync(EGL_NO_DISPLAY, type, NULL));
   REFUSED(EGL_BAD_PARAMETER, eglCreateSync(display, EGL_NONE, NULL));
   REFUSED(EGL_BAD_ATTRIBUTE, create(display, EGL_NONE, NULL));
   REFUSED(EGL_BAD_ATTRIBUTE,
           eglCreateSync(display, type, (const EGLAttrib[]){ 2, 3, 4, 5, EGL_NONE }));
   REFUSED(EGL_BAD_ATTRIBUTE, create(display, type, LIST(2, 3, 4, 5)));
   const EGLSync sync = eglCreateSync(display, type, (const EGLAttrib[]){ EGL_NONE });
   REFUSED(EGL_BAD_DISPLAY, eglGetSyncAttrib(EGL_NO_DISPLAY, sync, EGL_SYNC_TYPE, &value));
   REFUSED(EGL_BAD_PARAMETER, eglGetSyncAttrib(display, EGL_NO_SYNC, EGL_SYNC_TYPE, &value));
   REFUSED(EGL_BAD_PARAMETER, eglGetSyncAttrib(display, sync, EGL_SYNC_TYPE, NULL));
   REFUSED(EGL_BAD_ATTRIBUTE, eglGetSyncAttrib(display, sync, EGL_NONE, &value));
   if (!fence)
      REFUSED(EGL_BAD_ATTRIBUTE, eglGetSyncAttrib(display, sync, EGL_SYNC_CONDITION, &value));
   if (value != 12345)
      die("a query that is refused gives %d", (int)value);
   REFUSED(EGL_BAD_DISPLAY, eglClientWaitSync(EGL_NO_DISPLAY, sync, 0, EGL_FOREVER));
   REFUSED(EGL_BAD_PARAMETER, eglClientWaitSync(display, EGL_NO_SYNC, 0, EGL_FOREVER));
   REFUSED(EGL_BAD_DISPLAY, eglWaitSync(EGL_NO_DISPLAY, sync, 0));
   REFUSED(EGL_BAD_PARAMETER, eglWaitSync(display, NO_SUCH, 0));
   REFUSED(EGL_BAD_PARAMETER, eglWaitSync(display, sync, -1));
   if (!fence && eglClientWaitSync(display, sync, 0, 1000) != EGL_TIMEOUT_EXPIRED)
      die("a sync that nobody signals is signalled");
   REFUSED(EGL_BAD_PARAMETER, signal(display, EGL_NO_SYNC, EGL_SIGNALED));
   if (fence)
      REFUSED(EGL_BAD_MATCH, signal(display, sync, EGL_SIGNALED));
   else
      TAKEN(signal(display, sync, EGL_SIGNALED));
   glFlush();
   make_current(display, EGL_NO_SURFACE, EGL_NO_CONTEXT);
   REFUSED(EGL_BAD_MATCH, eglWaitSync(display, sync, 0));
   if (fence)
      REFUSED(EGL_BAD_MATCH, eglCreateSync(display, type, NULL)); /* there is no context whose commands it would follow */
   if (eglClientWaitSync(display, sync, 0, EGL_FOREVER) != EGL_CONDITION_SATISFIED)
      die("a sync is not signalled without a context");
   REFUSED(EGL_BAD_DISPLAY, eglDestroySync(EGL_NO_DISPLAY, sync));
   TAKEN(eglDestroySync(display, sync));
   REFUSED(EGL_BAD_PARAMETER, eglDestroySync(display, sync));
   TAKEN(eglDestroyContext(display, context));
}

static void
check_egl_errors(EGLDisplay display)
{
   eglBindAPI(EGL_OPENGL_ES_API);
   wrong_displays(display);
   wrong_configs(display);
   wrong_contexts(display);
   wrong_surfaces(display);
   wrong_syncs(display, EGL_SYNC_FENCE);
   wrong_syncs(display, EGL_SYNC_REUSABLE_KHR);
}

/* -------------------------------------------------------------------------------------- queries */

/* Both queries have one signature. */
typedef EGLBoolean (*egl_query)(EGLDisplay display, void *object, EGLint name, EGLint *value);

static void
expect_value(egl_query query, EGLDisplay display, void *object, EGLint name, EGLint wanted)
{
   EGLint value = -12345;
   TAKEN(query(display, object, name, &value));
   if (value != wanted)
      die("attribute 0x%x of a %s is %d, not %d", name,
          query == eglQuerySurface ? "pbuffer" : "context", value, wanted);
}

/* Tables 3.5 and 3.6, for pbuffers of each configuration. */
static void
check_egl_queries(EGLDisplay display)
{
   static const EGLint large[] = { EGL_WIDTH,           1 << 20,  EGL_HEIGHT, 16,
                                   EGL_LARGEST_PBUFFER, EGL_TRUE, EGL_NONE };
   EGLConfig configs[MOST_CONFIGS];
   EGLint count;
   eglBindAPI(EGL_OPENGL_ES_API);
   eglGetConfigs(display, configs, MOST_CONFIGS, &count);
   for (int i = 0; i < count; i++) {
      const EGLint id = config_value(display, configs[i], EGL_CONFIG_ID);
      const EGLSurface surface = eglCreatePbufferSurface(display, configs[i], small);
      const EGLContext context = context_of(display, configs[i]);
      expect_value(eglQuerySurface, display, surface, EGL_CONFIG_ID, id);
      expect_value(eglQuerySurface, display, surface, EGL_WIDTH, 16);
      expect_value(eglQuerySurface, display, surface, EGL_HEIGHT, 16);
      expect_value(eglQuerySurface, display, surface, EGL_LARGEST_PBUFFER, EGL_FALSE);
      expect_value(eglQuerySurface, display, surface, EGL_TEXTURE_FORMAT, EGL_NO_TEXTURE);
      expect_value(eglQuerySurface, display, surface, EGL_TEXTURE_TARGET, EGL_NO_TEXTURE);
      expect_value(eglQuerySurface, display, surface, EGL_MIPMAP_TEXTURE, EGL_FALSE);
      expect_value(eglQuerySurface, display, surface, EGL_MIPMAP_LEVEL, 0);
      expect_value(eglQuerySurface, display, surface, EGL_RENDER_BUFFER, EGL_BACK_BUFFER);
      expect_value(eglQuerySurface, display, surface, EGL_MULTISAMPLE_RESOLVE,
                   EGL_MULTISAMPLE_RESOLVE_DEFAULT);
      expect_value(eglQuerySurface, display, surface, EGL_GL_COLORSPACE, EGL_GL_COLORSPACE_LINEAR);
      expect_value(eglQuerySurface, display, surface, EGL_VG_ALPHA_FORMAT,
                   EGL_VG_ALPHA_FORMAT_NONPRE);
      TAKEN(eglSurfaceAttrib(display, surface, EGL_MIPMAP_LEVEL, 3));
      expect_value(eglQuerySurface, display, surface, EGL_MIPMAP_LEVEL, 3);
      expect_value(eglQueryContext, display, context, EGL_CONFIG_ID, id);
      expect_value(eglQueryContext, display, context, EGL_CONTEXT_CLIENT_TYPE, EGL_OPENGL_ES_API);
      expect_value(eglQueryContext, display, context, EGL_CONTEXT_CLIENT_VERSION, 2);
      expect_value(eglQueryContext, display, context, EGL_RENDER_BUFFER, EGL_NONE);
      make_current(display, surface, context);
      expect_value(eglQueryContext, display, context, EGL_RENDER_BUFFER, EGL_BACK_BUFFER);
      if (eglGetCurrentSurface(EGL_DRAW) != surface || eglGetCurrentSurface(EGL_READ) != surface ||
          eglGetCurrentContext() != context || eglGetCurrentDisplay() != display)
         die("what is current is not what was made current");
      make_current(display, EGL_NO_SURFACE, EGL_NO_CONTEXT);
      TAKEN(eglDestroyContext(display, context));
      TAKEN(eglDestroySurface(display, surface));
   }
   const EGLSurface surface = eglCreatePbufferSurface(display, any_config(display), large);
   EGLint width = 0;
   if (surface == EGL_NO_SURFACE || !eglQuerySurface(display, surface, EGL_WIDTH, &width) ||
       width < 16 || width >= 1 << 20)
      die("the largest pbuffer is %d pixels wide: 0x%x", width, eglGetError());
   TAKEN(eglDestroySurface(display, surface));
}

/* Functions of EGL 1.5 and of each extension that is named have addresses
 * (EGL_KHR_client_get_all_proc_addresses). */
static void
check_egl_functions(EGLDisplay display)
{
   static const struct {
      const char *extension, *functions[6];
   } table[] = {
      { NULL, { "eglInitialize", "eglSwapBuffers", "eglGetPlatformDisplay", "eglCreateSync", "eglCreateImage", "eglWaitSync" } },
      { NULL, { "glClear", "glDrawArrays", "glVertexAttrib4f", "glBlendFuncSeparate", "glTexImage2D", "glReleaseShaderCompiler" } },
      { "EGL_KHR_fence_sync", { "eglCreateSyncKHR", "eglDestroySyncKHR", "eglClientWaitSyncKHR", "eglGetSyncAttribKHR" } },
      { "EGL_KHR_reusable_sync", { "eglSignalSyncKHR" } },
      { "EGL_KHR_wait_sync", { "eglWaitSyncKHR" } },
      { "EGL_KHR_image_base", { "eglCreateImageKHR", "eglDestroyImageKHR" } },
      { "EGL_KHR_swap_buffers_with_damage", { "eglSwapBuffersWithDamageKHR" } },
      { "EGL_KHR_partial_update", { "eglSetDamageRegionKHR" } },
      { "EGL_EXT_swap_buffers_with_damage", { "eglSwapBuffersWithDamageEXT" } },
      { "EGL_EXT_image_dma_buf_import_modifiers",
        { "eglQueryDmaBufFormatsEXT", "eglQueryDmaBufModifiersEXT" } },
      { "EGL_MESA_image_dma_buf_export",
        { "eglExportDMABUFImageQueryMESA", "eglExportDMABUFImageMESA" } },
      { "EGL_ANDROID_native_fence_sync", { "eglDupNativeFenceFDANDROID" } },
      { "EGL_ANDROID_blob_cache", { "eglSetBlobCacheFuncsANDROID" } },
      { "EGL_MESA_query_driver", { "eglGetDisplayDriverName", "eglGetDisplayDriverConfig" } },
      { "EGL_CHROMIUM_sync_control", { "eglGetSyncValuesCHROMIUM" } },
      { "EGL_NV_post_sub_buffer", { "eglPostSubBufferNV" } },
   };
   const char *extensions = eglQueryString(display, EGL_EXTENSIONS);
   for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
      if (table[i].extension && !strstr(extensions, table[i].extension))
         continue;
      for (int k = 0; k < 6 && table[i].functions[k]; k++)
         if (!eglGetProcAddress(table[i].functions[k]))
            die("there is no function %s", table[i].functions[k]);
   }
   if (eglGetProcAddress("eglNoSuchFunction") || eglGetProcAddress(""))
      die("functions that are not there have addresses");
}

const struct check egl_api_checks[] = {
   { "egl-choose-order", check_choose_order },
   { "egl-errors", check_egl_errors },
   { "egl-queries", check_egl_queries },
   { "egl-functions", check_egl_functions },
   { NULL, NULL },
};
