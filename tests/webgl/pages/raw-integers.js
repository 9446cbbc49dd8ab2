// SPDX-License-Identifier: MIT
//
// Integers: attributes, flat varyings, textures and targets of 8, 16 and 32 bits, their clears, and what shaders
// compute with bits; read back and compared.
import { page, gl, program, texture, target, cell, cover, buffer, WHOLE, HEAD } from './raw.js';

const SIZE = 15; // no pixel's centre is on a texel's edge
const FORMATS = [['R8UI', 8], ['RG16UI', 16], ['RGBA32UI', 32], ['RGBA8UI', 8]];
const WRITE = `${HEAD} out uvec4 result;
uint mixed(uint x) { x ^= x << 13; x ^= x >> 17; x ^= x << 5; return x * 2654435761u; }
void main() { uint n = mixed(uint(gl_FragCoord.y) * ${SIZE}u + uint(gl_FragCoord.x) + 1u);
   result = uvec4(n, n >> 8, ~n, n / 7u + n % 13u) & MASK; }`;
const SHOW = `${HEAD} uniform usampler2D shown; out vec4 result;
void main() { uvec4 n = texelFetch(shown, ivec2(at * ${SIZE}.0), 0); result = vec4(vec3(n.rgb % 256u) / 255.0, 1.0); }`;
const FLAT = `#version 300 es
in ivec2 place; in uvec4 colour; in int turn;
flat out uvec4 hue; flat out ivec3 id;
void main() {
   hue = colour; id = ivec3(gl_VertexID, gl_InstanceID, turn);
   gl_Position = vec4((vec2(place) + vec2(gl_InstanceID * 4, 0)) / 8.0 - 1.0, 0.0, 1.0);
}`;
const LIT = `#version 300 es
precision highp float; precision highp int;
flat in uvec4 hue; flat in ivec3 id; out vec4 result;
void main() {
   uint bits = (hue.r << 3) ^ uint(id.x * 40 + id.y * 90);
   result = vec4(float(bits & 255u), float(hue.g), float((id.z % 7 + 7) * 16), 255.0) / 255.0;
}`;

function mixed(x) {
   x ^= x << 13;
   x ^= x >>> 17;
   x ^= x << 5;
   return Math.imul(x, 2654435761) >>> 0;
}

function wanted(channels, bits) {
   const mask = 2 ** bits - 1, all = [];
   for (let i = 0; i < SIZE * SIZE; i++) {
      const n = mixed(i + 1);
      all.push(...[n, n >>> 8, ~n >>> 0, (Math.floor(n / 7) + n % 13) >>> 0].slice(0, channels)
         .map(v => (v & mask) >>> 0));
   }
   return all;
}

// Draws into a texture of the format and reads it: WebGL reads four channels of 32 bits of each.
function written(format, bits) {
   const drawn = texture(gl.TEXTURE_2D, 1, gl[format], SIZE, SIZE), into = target(drawn);
   gl.useProgram(program(WHOLE, WRITE.replace('MASK', `${2 ** bits - 1}u`)));
   gl.viewport(0, 0, SIZE, SIZE);
   gl.clearBufferuiv(gl.COLOR, 0, [1, 2, 3, 4]);
   cover();
   const found = new Uint32Array(4 * SIZE * SIZE);
   const channels = { R: 1, RG: 2, RGBA: 4 }[format.match(/^[A-Z]+?(?=\d)/)[0]];
   gl.readPixels(0, 0, SIZE, SIZE, gl.RGBA_INTEGER, gl.UNSIGNED_INT, found);
   page.expect(format, found.filter((_, i) => i % 4 < channels), wanted(channels, bits));
   gl.clearBufferuiv(gl.COLOR, 0, [7, 8, 9, 10]);
   gl.readPixels(3, 3, 1, 1, gl.RGBA_INTEGER, gl.UNSIGNED_INT, found.subarray(0, 4));
   page.expect(`${format} cleared`, found.subarray(0, channels), [7, 8, 9, 10].slice(0, channels));
   gl.viewport(0, 0, SIZE, SIZE);
   cover();
   gl.deleteFramebuffer(into);
   return drawn;
}

function triangles(of) {
   const data = new Int32Array([0, 0, 200, 10, -3, 3, 0, 60, 120, 4, 0, 15, 20, 230, -9]);
   buffer(gl.ARRAY_BUFFER, data);
   const parts = [['place', 2, gl.INT, 0], ['colour', 2, gl.UNSIGNED_INT, 8], ['turn', 1, gl.INT, 16]];
   parts.forEach(([name, n, type, at]) => {
      const where = gl.getAttribLocation(of, name);
      gl.enableVertexAttribArray(where);
      gl.vertexAttribIPointer(where, n, type, 20, at);
   });
}

page.show(async () => {
   const shown = FORMATS.map(([format, bits]) => written(format, bits));
   const show = program(WHOLE, SHOW), flat = program(FLAT, LIT), array = gl.createVertexArray();
   gl.bindVertexArray(array);
   triangles(flat);
   gl.bindFramebuffer(gl.FRAMEBUFFER, null);
   return () => {
      gl.bindVertexArray(null);
      gl.useProgram(show);
      shown.forEach((drawn, i) => {
         gl.bindTexture(gl.TEXTURE_2D, drawn);
         cell(i, 3, 2);
         cover();
      });
      gl.bindVertexArray(array);
      gl.useProgram(flat);
      cell(4, 3, 2);
      gl.drawArraysInstanced(gl.TRIANGLES, 0, 3, 4);
   };
});
