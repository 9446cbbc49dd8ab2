// SPDX-License-Identifier: MIT
//
// Render buffers of four samples in several formats, with depth and stencil: drawn into, resolved by blits, copied and
// scaled; alpha to coverage; the triangles' area is what resolved pixels add up to.
import { page, gl, program, places, texture, target, cell, cover, WHOLE, HEAD } from './raw.js';

const SIZE = 121; // odd: no pixel's centre is on a texel's edge
const FORMATS = ['RGBA8', 'RGB565', 'RGB10_A2', 'SRGB8_ALPHA8', 'RGBA16F', 'R8'];
const FAN = `#version 300 es
uniform float turn;
out vec3 hue;
void main() {
   float part = float(gl_VertexID / 3), angle = turn + part * 0.6283185 + float(gl_VertexID % 3) * 0.25;
   float radius = gl_VertexID % 3 == 0 ? 0.0 : 0.95;
   hue = 0.5 + 0.5 * cos(part + vec3(0, 2, 4));
   gl_Position = vec4(radius * vec2(cos(angle), sin(angle)), part / 10.0 - 0.5, 1.0);
}`;
const HUE = `#version 300 es
precision highp float;
in vec3 hue; uniform float alpha; out vec4 result;
void main() { result = vec4(hue, alpha); }`;
const SHOW = `${HEAD} uniform sampler2D shown; out vec4 result;
void main() { result = vec4(texture(shown, at).rgb, 1.0); }`;

function many(format) {
   const into = gl.createFramebuffer(), samples = 4;
   gl.bindFramebuffer(gl.FRAMEBUFFER, into);
   [[format, 'COLOR_ATTACHMENT0'], ['DEPTH24_STENCIL8', 'DEPTH_STENCIL_ATTACHMENT']].forEach(([of, where]) => {
      const buffer = gl.createRenderbuffer();
      gl.bindRenderbuffer(gl.RENDERBUFFER, buffer);
      gl.renderbufferStorageMultisample(gl.RENDERBUFFER, samples, gl[of], SIZE, SIZE);
      gl.framebufferRenderbuffer(gl.FRAMEBUFFER, gl[where], gl.RENDERBUFFER, buffer);
   });
   page.expect(format, gl.checkFramebufferStatus(gl.FRAMEBUFFER), gl.FRAMEBUFFER_COMPLETE);
   page.expect(`${format} samples`, gl.getParameter(gl.SAMPLES), samples);
   return into;
}

function resolve(from, to) {
   gl.bindFramebuffer(gl.READ_FRAMEBUFFER, from);
   gl.bindFramebuffer(gl.DRAW_FRAMEBUFFER, to);
   gl.blitFramebuffer(0, 0, SIZE, SIZE, 0, 0, SIZE, SIZE, gl.COLOR_BUFFER_BIT, gl.NEAREST);
}

// The sum of coverage of ten triangles of radius 0.95 and angle 0.25.
function check_area(into) {
   const found = new Uint8Array(4 * SIZE * SIZE);
   gl.bindFramebuffer(gl.READ_FRAMEBUFFER, into);
   gl.readPixels(0, 0, SIZE, SIZE, gl.RGBA, gl.UNSIGNED_BYTE, found);
   const area = found.reduce((sum, value, i) => i % 4 === 3 ? sum + value / 255 : sum, 0);
   const radius = 0.95 * SIZE / 2, wanted = 10 * radius * radius * Math.sin(0.25) / 2;
   page.expect('area', area, wanted, wanted * 0.01);
   page.expect('coverage in quarters', found.filter((v, i) => i % 4 === 3 && ![0, 64, 128, 191, 255].includes(v)), []);
}

gl.getExtension('EXT_color_buffer_float');
page.show(async () => {
   const fan = program(FAN, HUE), show = program(WHOLE, SHOW), at = places(fan);
   const buffers = FORMATS.map(many);
   const shown = FORMATS.map(format => texture(gl.TEXTURE_2D, 1, gl[format], SIZE, SIZE));
   const plain = shown.map(s => target(s));
   const larger = texture(gl.TEXTURE_2D, 1, gl.RGBA8, SIZE, SIZE), scaled = target(larger);
   return (time_s, frame) => {
      gl.useProgram(fan);
      gl.uniform1f(at.turn, time_s);
      gl.viewport(0, 0, SIZE, SIZE);
      buffers.forEach((into, i) => {
         gl.bindFramebuffer(gl.FRAMEBUFFER, into);
         gl.clearColor(0, 0, 0, 0);
         gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT | gl.STENCIL_BUFFER_BIT);
         gl.enable(gl.DEPTH_TEST);
         if (i === 4) gl.enable(gl.SAMPLE_ALPHA_TO_COVERAGE);
         gl.uniform1f(at.alpha, i === 4 ? 0.5 : 1);
         gl.drawArrays(gl.TRIANGLES, 0, 30);
         gl.disable(gl.SAMPLE_ALPHA_TO_COVERAGE);
         gl.disable(gl.DEPTH_TEST);
         resolve(into, plain[i]);
      });
      if (frame === 0) check_area(plain[0]);
      gl.bindFramebuffer(gl.READ_FRAMEBUFFER, plain[0]); // a part of it, larger and turned over
      gl.bindFramebuffer(gl.DRAW_FRAMEBUFFER, scaled);
      gl.blitFramebuffer(30, 20, 90, 100, SIZE, SIZE, 0, 0, gl.COLOR_BUFFER_BIT, gl.LINEAR);
      gl.bindFramebuffer(gl.FRAMEBUFFER, null);
      gl.useProgram(show);
      [...shown, larger].forEach((drawn, i) => {
         gl.bindTexture(gl.TEXTURE_2D, drawn);
         cell(i, 4, 2);
         cover();
      });
   };
});
