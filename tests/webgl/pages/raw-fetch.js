// SPDX-License-Identifier: MIT
//
// texelFetch, textureSize and levels: a life of cells that goes from texture to texture with texelFetch and
// is what JavaScript computes; levels between BASE_LEVEL and MAX_LEVEL; packed formats.
import { page, gl, program, places, texture, target, cell, cover, WHOLE, HEAD } from './raw.js';

const SIZE = 60;
const LIFE = `${HEAD} uniform sampler2D cells; out vec4 result;
float of(ivec2 at) { return texelFetch(cells, (at + textureSize(cells, 0)) % textureSize(cells, 0), 0).r; }
void main() {
   ivec2 here = ivec2(gl_FragCoord.xy);
   float sum = 0.0;
   for (int i = 0; i < 9; i++) sum += i == 4 ? 0.0 : of(here + ivec2(i % 3 - 1, i / 3 - 1));
   result = vec4(sum > 2.5 && sum < 3.5 || sum > 1.5 && sum < 2.5 && of(here) > 0.5);
}`;
const SHOW = `${HEAD} uniform sampler2D shown; uniform int level; out vec4 result;
void main() {
   ivec2 size = textureSize(shown, level);
   vec3 texel = texelFetch(shown, ivec2(at * vec2(size)), level).rgb;
   result = vec4(texel * float(size.x) / ${SIZE}.0, 1.0);
   result += 0.1 * vec4(at, 0, 0);
}`;
const NORMAL = `${HEAD} uniform sampler2D shown; out vec4 result;
void main() { result = vec4(texture(shown, at * 0.7 + 0.1).rgb, 1.0); }`;

function step(cells) {
   return cells.map((alive, i) => {
      let sum = -alive;
      for (let k = 0; k < 9; k++)
         sum += cells[((i / SIZE | 0) + (k / 3 | 0) - 1 + SIZE) % SIZE * SIZE + (i % SIZE + k % 3 - 1 + SIZE) % SIZE];
      return Number(sum === 3 || sum === 2 && alive === 1);
   });
}

function levels() {
   const made = texture(gl.TEXTURE_2D, 4, gl.RGBA8, SIZE, SIZE);
   for (let level = 0; level < 4; level++) {
      const size = SIZE >> level, texels = Uint8Array.from({ length: 4 * size * size }, (_, i) => i * (7 + level) >> 2);
      gl.texSubImage2D(gl.TEXTURE_2D, level, 0, 0, size, size, gl.RGBA, gl.UNSIGNED_BYTE, texels);
   }
   gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_BASE_LEVEL, 1);
   gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAX_LEVEL, 2);
   gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST_MIPMAP_NEAREST);
   return made;
}

// Texels of 32 bits in a packed format, filtered.
function packed(format, of, type) {
   const made = texture(gl.TEXTURE_2D, 1, gl[format], 16, 16);
   const words = Uint32Array.from({ length: 256 }, (_, i) => Math.imul(i + 1, 2654435761) >>> 0);
   // R11F_G11F_B10F from floats, as among any bits there are infinite ones
   const floats = Float32Array.from({ length: 768 }, (_, i) => (i * 37 % 101) / 100);
   gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, 16, 16, gl[of], gl[type], type === 'FLOAT' ? floats : words);
   gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.LINEAR);
   return made;
}

page.show(async () => {
   const life = program(WHOLE, LIFE), show = program(WHOLE, SHOW), normal = program(WHOLE, NORMAL);
   const sides = [0, 1].map(() => texture(gl.TEXTURE_2D, 1, gl.R8, SIZE, SIZE)), into = sides.map(side => target(side));
   let cells = Array.from({ length: SIZE * SIZE }, () => Number(Math.random() < 0.4));
   gl.bindTexture(gl.TEXTURE_2D, sides[0]);
   gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, SIZE, SIZE, gl.RED, gl.UNSIGNED_BYTE, Uint8Array.from(cells, v => 255 * v));
   const mips = levels(), formats = [packed('R11F_G11F_B10F', 'RGB', 'FLOAT'), packed('RGB9_E5', 'RGB', 'FLOAT'),
      packed('RGB10_A2', 'RGBA', 'UNSIGNED_INT_2_10_10_10_REV')];
   return (_, frame) => {
      gl.bindFramebuffer(gl.FRAMEBUFFER, into[1]);
      gl.bindTexture(gl.TEXTURE_2D, sides[0]);
      gl.viewport(0, 0, SIZE, SIZE);
      gl.useProgram(life);
      cover();
      if (frame < 8) {
         const found = new Uint8Array(4 * SIZE * SIZE);
         gl.readPixels(0, 0, SIZE, SIZE, gl.RGBA, gl.UNSIGNED_BYTE, found);
         cells = step(cells);
         page.expect(`generation ${frame}`, found.filter((_, i) => i % 4 === 0), cells.map(v => 255 * v));
      }
      sides.reverse();
      into.reverse();
      gl.bindFramebuffer(gl.FRAMEBUFFER, null);
      gl.useProgram(show);
      [[sides[0], 0], [mips, 0], [mips, 1]].forEach(([shown, level], i) => {
         gl.bindTexture(gl.TEXTURE_2D, shown);
         gl.uniform1i(places(show).level, level);
         cell(i, 3, 2);
         cover();
      });
      gl.useProgram(normal);
      formats.forEach((shown, i) => {
         gl.bindTexture(gl.TEXTURE_2D, shown);
         cell(3 + i, 3, 2);
         cover();
      });
   };
});
