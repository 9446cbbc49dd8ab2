// SPDX-License-Identifier: MIT
//
// As many targets as there are, of different formats, written by one draw: with blending, with masks of the draw
// buffers, and with some cleared alone; floats beyond 1 and below 0 are read back.
import { page, gl, program, places, texture, target, cell, cover, WHOLE, HEAD } from './raw.js';

const SIZE = 60, FORMATS = ['RGBA8', 'RGBA16F', 'RGBA32F', 'R11F_G11F_B10F'];
const MANY = `${HEAD} uniform float shift;
layout(location = 0) out vec4 a; layout(location = 1) out vec4 b;
layout(location = 2) out vec4 c; layout(location = 3) out vec4 d;
void main() {
   a = vec4(at, shift, 0.5);
   b = vec4(sin(at.x * 20.0) * 4.0, at.y * 3.0 - 1.0, shift, 0.5);
   c = vec4(gl_FragCoord.xy * 1000.0, -shift, 0.25);
   d = vec4(at.y * 2.0, at.x * at.x * 4.0, 0.5 + shift, 1.0);
}`;
const SHOW = `${HEAD} uniform sampler2D shown; uniform float scale; out vec4 result;
void main() { result = vec4(0.5 + 0.4 * sin(texture(shown, at).rgb * scale), 1.0); }`;

function read(from, attachment) {
   const found = new Float32Array(4 * SIZE * SIZE);
   gl.bindFramebuffer(gl.READ_FRAMEBUFFER, from);
   gl.readBuffer(gl.COLOR_ATTACHMENT0 + attachment);
   gl.readPixels(0, 0, SIZE, SIZE, gl.RGBA, gl.FLOAT, found);
   return found;
}

// Before anything is blended.
function check(into) {
   const wanted = [];
   for (let i = 0; i < SIZE * SIZE; i++)
      wanted.push((i % SIZE + 0.5) * 1000, ((i / SIZE | 0) + 0.5) * 1000, -0.25, 0.25);
   page.expect('floats of 32 bits', read(into, 2), wanted, 0.01);
}

gl.getExtension('EXT_color_buffer_float');
gl.getExtension('EXT_float_blend');
page.show(async () => {
   const many = program(WHOLE, MANY), show = program(WHOLE, SHOW);
   const shown = FORMATS.map(format => texture(gl.TEXTURE_2D, 1, gl[format], SIZE, SIZE)), into = target(...shown);
   const places_of = [many, show].map(places), all = FORMATS.map((_, i) => gl.COLOR_ATTACHMENT0 + i);
   return (_, frame) => {
      gl.bindFramebuffer(gl.FRAMEBUFFER, into);
      gl.viewport(0, 0, SIZE, SIZE);
      gl.drawBuffers(all);
      all.forEach((_, i) => gl.clearBufferfv(gl.COLOR, i, [0.1 * i, 0, 0, 0]));
      gl.useProgram(many);
      gl.uniform1f(places_of[0].shift, 0.25);
      cover();
      if (frame === 0) check(into);
      gl.enable(gl.BLEND);
      gl.blendFunc(gl.SRC_ALPHA, gl.ONE);
      gl.drawBuffers([all[0], gl.NONE, all[2], all[3]]);   // the second target keeps what it has
      gl.uniform1f(places_of[0].shift, 0.5 + frame / 16);
      gl.enable(gl.SCISSOR_TEST);
      gl.scissor(10, 10, 30, 40);
      cover();
      gl.disable(gl.SCISSOR_TEST);
      gl.disable(gl.BLEND);
      gl.bindFramebuffer(gl.FRAMEBUFFER, null);
      gl.useProgram(show);
      shown.forEach((drawn, i) => {
         gl.bindTexture(gl.TEXTURE_2D, drawn);
         gl.uniform1f(places_of[1].scale, [2, 2, 1e-4, 0.5][i]);
         cell(i, 2, 2);
         cover();
      });
   };
});
