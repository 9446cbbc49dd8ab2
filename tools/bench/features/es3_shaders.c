/* SPDX-License-Identifier: MIT
 *
 * Fragment shaders of GLSL ES 3.00 over the whole target: integers, bits, packing, matrices, flat
 * varyings, depth.
 */
#include "es3.h"

static const char *
set_depth_shader(const struct feature *feature, const struct scene *scene)
{
   set_depth(feature, scene);
   return set_es3_quad(feature, scene);
}

#define SHADER_OF(name_, set_up_, text_, ...)                                                      \
   {                                                                                               \
      .name = "ES3 shader: " name_, .set_up = set_up_, .draw = draw_es3_quad,                      \
      .fragment = ES3_HEAD "out vec4 colour;\nvoid main() { " text_ " }", __VA_ARGS__              \
   }
#define SHADER(name_, text_) SHADER_OF(name_, set_es3_quad, text_, )

/* Integer shaders: `a` and `b` are natural numbers below `times`, colours are bytes of `c`. */
#define BITS(name_, text_)                                                                         \
   SHADER_OF(name_, set_es3_quad,                                                                  \
             "uint a = uint(at.x), b = uint(at.y), c = 0u;\n" text_                                \
             "\ncolour = vec4(uvec4(c, c >> 8, c >> 16, c >> 24) & 255u) / 255.0;",                \
             .times = 99999)

/* A varying `value` of a type and an interpolation. */
#define VARYING(name_, how_, type_, from_, text_)                                                  \
   {                                                                                               \
      .name = "ES3 shader: " name_, .set_up = set_es3_quad, .draw = draw_es3_quad,                 \
      .vertex = ES3_VERTEX                                                                         \
         "out vec3 at; " how_ " out highp " type_ " value;\n"                                      \
         "void main() { gl_Position = vec4(position, 0.2, 1.0); at = vec3(position, 0);\n"         \
         "   value = " from_ "; }",                                                                \
      .fragment =                                                                                  \
         ES3_HEAD how_ " in highp " type_ " value; out vec4 colour;\nvoid main() { " text_ " }"    \
   }

static const struct feature shaders[] = {
   BITS("and, or, xor", "c = (a & b) ^ (a | 0x55u) ^ ~b;"),
   BITS("shifts", "c = (a << (b & 31u)) ^ (a >> 3) ^ uint(int(b) >> 2);"),
   BITS("products", "c = a * b + a * 12345u + b;"),
   BITS("divided by a constant", "c = a / 7u + b % 10u;"),
   BITS("divided", "c = a / (b + 1u) + b % (a + 3u);"),
   BITS("divided, signed", "c = uint(int(a) / (int(b) - 7) + int(b) % (int(a) - 9));"),
   BITS("least, largest, clamp", "c = min(a, b) + max(a, 100u) + clamp(b, 3u, 70u)\n"
                                 "   + uint(abs(int(a) - int(b)));"),
   BITS("compared", "c = (a < b ? a : b * 3u) + uint(a == b) + uint(int(a) - 9 > int(b));"),
   BITS("hash", "c = a * 747796405u + b * 2891336453u;\n"
                "c = ((c >> ((c >> 28) + 4u)) ^ c) * 277803737u; c = (c >> 22) ^ c;"),
   BITS("hash, 8 rounds", "c = a ^ b; for (int i = 0; i < 8; i++) {\n"
                          "   c ^= c << 13; c ^= c >> 17; c ^= c << 5; }"),
   BITS("loop to a varying", "uint n = a & 31u; for (uint i = 0u; i < n; i++) c += (b >> i) * i;"),
   BITS("nested loops", "for (uint i = 0u; i < 4u; i++) for (uint j = i; j < 6u; j++)\n"
                        "   c = c * 31u + (a >> j) - i;"),
   BITS("while, continue", "uint n = a & 63u; while (n > 0u) {\n"
                           "   n >>= 1; if ((n & 1u) == 0u) continue; c += n * b; }"),
   BITS("switch", "switch (a & 3u) { case 0u: c = b; break; case 1u: c = a * b; break;\n"
                  "case 2u: c = a - b; default: c ^= 77u; }"),
   BITS("local array", "uint t[16]; for (uint i = 0u; i < 16u; i++) t[i] = a + i * b;\n"
                       "c = t[a & 15u] + t[b & 15u];"),
   BITS("constant array", "const uint t[8] = uint[8](3u, 1u, 4u, 1u, 5u, 9u, 2u, 6u);\n"
                          "c = t[a & 7u] * t[b & 7u];"),
   SHADER("integers to floats and back", "ivec3 i = ivec3(at * 1000.0); uvec3 u = uvec3(i);\n"
                                         "colour = vec4(vec3(i + ivec3(u)) * 0.0005, 1);"),
   SHADER("bits of floats", "int i = floatBitsToInt(at.x) + 77; uint u = floatBitsToUint(at.y);\n"
                            "colour = vec4(intBitsToFloat(i), uintBitsToFloat(u ^ 1u), 0, 1);"),
   SHADER("packHalf2x16", "uint u = packHalf2x16(at.xy); colour = unpackHalf2x16(u ^ 3u).xyxy;"),
   SHADER("packUnorm2x16", "uint u = packUnorm2x16(at.xy);\n"
                           "colour = unpackUnorm2x16(u + 1u).xyxy + unpackSnorm2x16(u).xxyy;"),
   SHADER("round, trunc, modf",
          "float w; float f = modf(at.x * 9.0, w);\n"
          "colour = vec4(f, w * 0.1, roundEven(at.y * 5.0) * 0.2, trunc(at.x * 3.0) * 0.3);"),
   SHADER("hyperbolic", "colour = vec4(sinh(at.x), cosh(at.y), tanh(at.x), asinh(at.y));"),
   SHADER("isnan, isinf", "colour = vec4(isnan(at.x / (at.y - 0.5)), isinf(1.0 / at.x), at.xy);"),
   SHADER("inverse, determinant", "mat3 m = mat3(at, at.yzx + 1.0, at.zxy * 2.0);\n"
                                  "colour = vec4(inverse(m) * at, determinant(m));"),
   SHADER("matrices of other shapes",
          "mat2x4 m = outerProduct(at.xyzx, at.xy); mat4x3 n = mat4x3(1.0);\n"
          "colour = vec4(n * (m * at.xy), 1);"),
   SHADER("derivatives", "colour = vec4(dFdx(at.x), dFdy(at.y), fwidth(at.x * at.y), 1);"),
   SHADER("discard", "if ((int(at.x * 50.0) & 1) == 0) discard; colour = vec4(at, 1);"),
   SHADER_OF("gl_FragDepth", set_depth_shader, "colour = vec4(at, 1); gl_FragDepth = at.x;",
             .enable = { GL_DEPTH_TEST }, .mode = GL_ALWAYS),
   VARYING("flat integers", "flat", "ivec4", "ivec4(gl_VertexID) * 9",
           "colour = vec4(value) * 0.01;"),
   VARYING("flat numbers", "flat", "vec4", "vec4(position, 0.5, 1)", "colour = value;"),
   VARYING("centroid", "centroid", "vec4", "vec4(position, 0.5, 1)", "colour = value;"),
   VARYING("array of 4 varyings", "smooth", "vec4[4]",
           "vec4[4](vec4(position, 0, 1), vec4(1), vec4(position.yx, 1, 0), vec4(2))",
           "colour = value[0] + value[1] * value[2] + value[3];"),
   VARYING("8 varyings", "smooth", "mat4[2]", "mat4[2](mat4(position.x), mat4(position.y))",
           "colour = value[0][1] + value[0][3] * value[1][0] + value[1][2];"),
};

const struct feature_list features_of_es3_shaders = ES3_LIST(shaders);
