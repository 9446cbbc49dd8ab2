/* SPDX-License-Identifier: MIT */
/*
 * GLSL through Mesa's compiler and NIR to the ISA: a text is refused with a message, or gives
 * programs that the GPU's validator takes. Programs are linked and not drawn.
 *
 * The input: text. What stands before a line `----` is a vertex shader, what follows it a fragment
 * shader; without one it is that of both that it looks like, and the other one is plain. #version
 * decides on the API.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clipfree/isa/cf_isa.h"
#include "clipfree/shader/cf_program.h"
#include "fuzz.h"
#include "fuzz_grammar.h"
#include "fuzz_plain.h"
#include "fuzz_shaders.h"
#include "gles2_context.h"

#define SEAM "----\n"
#define MOST_CHANGES 3
#define LOG_B 8192
#define MOST_TAKEN 256

enum api { API_ES, API_DESKTOP, API_CORE, APIS };

struct gl {
   EGLDisplay display;
   EGLContext context[APIS];
   FILE *log; /* of CLIPFREE_SHADERS */
};

/* Once: contexts stay. */
static struct gl *
open_gl(void)
{
   static struct gl gl;
   char path[] = "/tmp/fuzz-glsl-XXXXXX", value[sizeof(path) + 5];
   if (gl.log)
      return &gl;
   const int file = mkstemp(path);
   gl.log = file < 0 ? NULL : fdopen(file, "r+");
   if (!gl.log)
      die("/tmp takes no file");
   snprintf(value, sizeof(value), "file=%s", path);
   setenv("CLIPFREE_SHADERS", value, 1);
   setenv("CLIPFREE_GPU", "noop", 1);
   setenv("CLIPFREE_THREADS", "0", 0);
   setenv("MESA_SHADER_CACHE_DISABLE", "true", 1);
   gl.display = display_open();
   gl.context[API_ES] = context_create_es3(gl.display, EGL_NO_CONTEXT);
   gl.context[API_DESKTOP] = context_create_desktop(gl.display, EGL_NO_CONTEXT);
   gl.context[API_CORE] = context_create_gl3(gl.display, EGL_NO_CONTEXT, 3);
   unlink(path);
   return &gl;
}

/* ------------------------------------------------------------------ programs */

/* What tells messages apart: without numbers, names and what is quoted. */
static void
reach_message(const char *log)
{
   uint64_t hash = 0;
   bool quoted = false;
   for (const char *at = log; *at; at++) {
      quoted ^= *at == '`' || *at == '\'' || *at == '"';
      if (*at == '\n') {
         fuzz_reach(hash);
         hash = 0;
         quoted = false;
      } else if (!quoted && (*at < '0' || *at > '9')) {
         hash = (hash ^ (uint8_t)*at) * 0x100000001b3ull;
      }
   }
}

/* Instructions that follow one another. */
static void
reach_instrs(const struct cf_decoded *program)
{
   const struct cf_instr *instr = cf_program_instrs(program);
   for (uint32_t i = 0; i + 1 < cf_program_info(program)->code_instrs; i++)
      fuzz_reach(((uint64_t)instr[i].op << 16 | instr[i + 1].op) + 1);
}

/* A record of a shader that the driver's compiler made. */
static void
check_program(const json_t *record)
{
   const json_t *words = json_object_get(record, "code"),
                *dwords = json_object_get(record, "descriptor");
   const size_t count = json_array_size(words);
   uint64_t *code = calloc(count + 1, sizeof(*code));
   uint32_t dw[CF_PROGRAM_DWORDS];
   struct cf_program info;
   const char *bad_field;
   char error[400];
   for (unsigned i = 0; i < CF_PROGRAM_DWORDS; i++)
      dw[i] = (uint32_t)json_integer_value(json_array_get(dwords, i));
   for (size_t i = 0; i < count; i++)
      code[i] = strtoull(json_string_value(json_array_get(words, i)), NULL, 16);
   if (!cf_program_unpack(dw, &info, &bad_field))
      fuzz_fail("the compiler's descriptor is malformed: %s", bad_field);
   info.code_instrs = (uint32_t)count;
   struct cf_decoded *program = cf_program_decode(&info, code, error, sizeof(error));
   if (!program)
      fuzz_fail("the validator does not take what the compiler made: %s", error);
   reach_instrs(program);
   cf_program_free(program);
   free(code);
}

/* Looks at what the driver logged of a program, and empties the log. Returns how many shaders it
 * compiled, or refused for a reason. */
static unsigned
check_log(struct gl *gl)
{
   char *line = NULL;
   size_t size_B = 0;
   unsigned shaders = 0;
   rewind(gl->log);
   while (getline(&line, &size_B, gl->log) > 0) {
      json_t *record = json_loads(line, 0, NULL);
      const char *error = json_string_value(json_object_get(record, "error"));
      if (!record)
         fuzz_fail("the log of shaders is no JSON: %s", line);
      if (error && !strstr(error, "more ")) /* "it needs more ... than there are" */
         fuzz_fail("the driver refuses what GL took: %s", error);
      if (error)
         reach_message(error);
      else if (json_object_get(record, "code"))
         check_program(record);
      shaders += json_object_get(record, "stage") != NULL;
      json_decref(record);
   }
   free(line);
   rewind(gl->log);
   if (ftruncate(fileno(gl->log), 0))
      die("a file of /tmp cannot be emptied");
   return shaders;
}

/* False: a shader is not taken. */
static bool
attach(GLuint program, GLenum stage, const char *text)
{
   char log[LOG_B] = "";
   const GLuint shader = shader_compile(stage, "", text, log, sizeof(log));
   /* what does not compile is not kept: most texts made of it would not, either */
   if (!shader && !log[0])
      fuzz_fail("a shader is refused without a message");
   if (shader) {
      glAttachShader(program, shader);
      glDeleteShader(shader);
   }
   return shader;
}

/* False: it is refused. */
static bool
link_program(struct gl *gl, const char *vertex, const char *fragment)
{
   const GLuint program = glCreateProgram();
   char log[LOG_B] = "";
   GLint good = 0;
   if (attach(program, GL_VERTEX_SHADER, vertex) && attach(program, GL_FRAGMENT_SHADER, fragment)) {
      glLinkProgram(program);
      glGetProgramiv(program, GL_LINK_STATUS, &good);
      glGetProgramInfoLog(program, sizeof(log), NULL, log);
      reach_message(log);
      if (!good && !log[0])
         fuzz_fail("a program is refused without a message");
   }
   if (!good)
      fuzz_void();
   glDeleteProgram(program);
   const unsigned shaders = check_log(gl);
   if (good && !shaders)
      fuzz_fail("a program is linked, and the driver compiled nothing");
   const GLenum error = glGetError();
   if (error && error != GL_OUT_OF_MEMORY)
      fuzz_fail("GL error %#x after a program", error);
   return good;
}

/* ------------------------------------------------------------------ texts */

static enum api
api_of(const char *text)
{
   const char *version = strstr(text, "#version");
   const unsigned long number = version ? strtoul(version + strlen("#version"), NULL, 10) : 0;
   if (number == 100 || number == 300 || number == 310 || (!number && strstr(text, "precision")))
      return API_ES;
   return number >= 140 ? API_CORE : API_DESKTOP;
}

/* The other stage of a shader alone, of its version. */
static char *
plain(const char *text, const char *body)
{
   const char *version = strstr(text, "#version");
   char *whole;
   if (asprintf(&whole, "%.*s\n%s", version ? (int)strcspn(version, "\n") : 0,
                version ? version : "", body) < 0)
      abort();
   return whole;
}

/* False: it is refused. */
static bool
run_text(struct gl *gl, char *text)
{
   char *seam = strstr(text, SEAM), *other = NULL;
   const char *vertex = text, *fragment = seam ? seam + strlen(SEAM) : text;
   eglBindAPI(api_of(text) == API_ES ? EGL_OPENGL_ES_API : EGL_OPENGL_API);
   make_current(gl->display, EGL_NO_SURFACE, gl->context[api_of(text)]);
   if (seam)
      *seam = 0;
   else if (strstr(text, "gl_Position"))
      fragment = other = plain(text, "void main() { }\n");
   else
      vertex = other = plain(text, "void main() { gl_Position = vec4(0.0); }\n");
   const bool taken = link_program(gl, vertex, fragment);
   free(other);
   return taken;
}

/* ------------------------------------------------------------------ texts that were */

/* libFuzzer goes on with refused texts, too, whose messages are edges, and most texts made of one
 * are refused as well: one that was taken stands in its place. */
struct texts {
   bool refused[1u << 16]; /* by hash */
   char *taken[MOST_TAKEN];
   uint32_t count; /* of all that were taken */
};

static struct texts *
known_texts(void)
{
   static struct texts texts;
   return &texts;
}

static bool *
refused(struct texts *known, const uint8_t *data, size_t size_B)
{
   return &known->refused[fuzz_hash(data, size_B) & 0xffff];
}

static void
remember(const uint8_t *data, size_t size_B, bool is_taken)
{
   struct texts *known = known_texts();
   if (!is_taken) {
      *refused(known, data, size_B) = true;
      return;
   }
   char **place = &known->taken[known->count++ % MOST_TAKEN];
   free(*place);
   *place = strndup((const char *)data, size_B);
}

/* What is changed: the text, or one in its place. */
static char *
base_of(const uint8_t *data, size_t size_B, uint64_t *random)
{
   struct texts *known = known_texts();
   const uint32_t taken = known->count < MOST_TAKEN ? known->count : MOST_TAKEN;
   if (taken && *refused(known, data, size_B))
      return strdup(known->taken[fuzz_random(random, taken)]);
   return strndup((const char *)data, size_B);
}

/* ------------------------------------------------------------------ as libFuzzer calls it */

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_B)
{
   struct gl *gl = open_gl();
   char *text = strndup((const char *)data, size_B);
   remember(data, size_B, run_text(gl, text));
   free(text);
   return 0;
}

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size_B, size_t max_B, unsigned seed)
{
   uint64_t random = seed;
   uint32_t shaders;
   const struct fuzz_shader *shader = fuzz_shaders(&shaders);
   char *text = base_of(data, size_B, &random);
   const uint32_t changes = 1 + fuzz_random(&random, MOST_CHANGES);
   for (uint32_t i = 0; i < changes; i++) {
      char *changed =
         fuzz_grammar_change(text, shader[fuzz_random(&random, shaders)].text, &random);
      free(text);
      text = changed;
   }
   size_t length = strlen(text);
   if (length > max_B)
      length = max_B;
   memcpy(data, text, length);
   free(text);
   return fuzz_random(&random, 32) ? length : LLVMFuzzerMutate(data, length, max_B);
}

static const char es3[] =
   "#version 300 es\nlayout(location = 0) in vec4 position; flat out ivec2 whole; out vec4 real;\n"
   "layout(std140) uniform block { mat4 m; vec3 list[5]; uint bits; };\n"
   "void main() {\n   uint u = bits >> 3u ^ uint(gl_VertexID);\n"
   "   switch (int(u) & 3) { case 0: whole = ivec2(1); break; case 2: whole = ivec2(u, 2);\n"
   "   default: whole = ivec2(gl_InstanceID); }\n"
   "   real = m * position + vec4(list[int(u) % 5], 1.0);\n   gl_Position = real;\n}\n" SEAM
   "#version 300 es\nprecision highp float; precision highp int; precision highp sampler3D;\n"
   "flat in ivec2 whole; in vec4 real; uniform sampler3D volume; uniform sampler2D image;\n"
   "layout(location = 0) out vec4 colour; layout(location = 1) out ivec4 number;\n"
   "void main() {\n   vec4 a = texture(volume, real.xyz) + texelFetch(image, whole, 0);\n"
   "   a += textureGrad(image, real.xy, dFdx(real.xy), dFdy(real.yx));\n"
   "   colour = isnan(a.x) ? roundEven(a) : fwidth(a);\n"
   "   number = floatBitsToInt(a) + ivec4(textureSize(volume, 0), packHalf2x16(a.xy));\n}\n";
static const char core[] =
   "#version 330\nin vec4 position; out gl_PerVertex { vec4 gl_Position; }; out block { vec3 n; } "
   "o;\n"
   "uniform mat4x3 wide; uniform int chosen[8];\n"
   "void main() {\n   o.n = wide * position; mat3 m = inverse(mat3(wide));\n"
   "   for (int i = 0; i < chosen.length(); i++) o.n *= m[chosen[i] % 3];\n"
   "   gl_Position = position; gl_PointSize = float(chosen[7] << 2);\n}\n" SEAM
   "#version 330\nin block { vec3 n; } i; out vec4 colour; uniform sampler2DArray layers;\n"
   "uniform sampler2DShadow shadow; struct s { float a; vec2 b[2]; };\n"
   "s made(float x) { return s(x, vec2[2](vec2(x), vec2(1, x))); }\n"
   "void main() {\n   s t = made(i.n.x); colour = texture(layers, i.n) * texture(shadow, i.n);\n"
   "   colour.xy += t.b[int(t.a) & 1]; if (!gl_FrontFacing) discard; gl_FragDepth = t.a;\n}\n";
static const char old[] =
   "#version 120\nvarying vec4 v;\nvoid main() {\n"
   "   gl_FrontColor = gl_Color * gl_LightSource[1].diffuse; gl_TexCoord[2] = gl_MultiTexCoord2;\n"
   "   v = gl_ModelViewMatrix * gl_Vertex + vec4(gl_NormalMatrix * gl_Normal, 1);\n"
   "   gl_ClipVertex = v; gl_Position = ftransform(); gl_FogFragCoord = abs(v.z);\n}\n" SEAM
   "#version 120\nvarying vec4 v; uniform sampler1D line; uniform sampler2DRect rect;\n"
   "const float list[3] = float[3](1.0, 2.0, 3.0);\nvoid main() {\n"
   "   vec4 c = texture1D(line, v.x) * gl_Color + gl_Fog.color * gl_FogFragCoord;\n"
   "   for (int i = 0; i < 3; ++i) c[i] += list[i] * gl_TexCoord[i].s;\n"
   "   gl_FragData[0] = c; gl_FragData[1] = c.wzyx;\n}\n";

void
fuzz_write_seeds(const char *folder)
{
   uint32_t shaders;
   const struct fuzz_shader *shader = fuzz_shaders(&shaders);
   for (uint32_t i = 0; i < shaders; i++)
      fuzz_write_seed(folder, shader[i].name, shader[i].text, strlen(shader[i].text));
   fuzz_write_seed(folder, "es3", es3, strlen(es3));
   fuzz_write_seed(folder, "core", core, strlen(core));
   fuzz_write_seed(folder, "old", old, strlen(old));
   fuzz_write_seed(folder, "none", "", 0);
}
