// SPDX-License-Identifier: MIT
//
// What pages of WebGL 2 without a library share: a context, programs, and a grid of cells to draw in.

export const { page } = window;
export const canvas = document.getElementById('canvas');
export const gl = canvas.getContext('webgl2', { antialias: false });

// A triangle that covers the viewport; `at` is 0 to 1 in both axes.
export const WHOLE = `#version 300 es
out vec2 at;
void main() {
   at = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0;
   gl_Position = vec4(at * 2.0 - 1.0, 0.0, 1.0);
}`;

// The head of fragment shaders for it.
export const HEAD = `#version 300 es
precision highp float; precision highp int;
precision highp sampler3D; precision highp sampler2DArray; precision highp sampler2DShadow;
precision highp isampler2D; precision highp usampler2D; precision highp usampler2DArray;
in vec2 at;
`;

export function program(vertex, fragment, varyings = [], mode = gl.INTERLEAVED_ATTRIBS) {
   const made = gl.createProgram();
   for (const [type, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(type);
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      gl.attachShader(made, shader);
   }
   if (varyings.length) gl.transformFeedbackVaryings(made, varyings, mode);
   gl.linkProgram(made);
   return made;
}

// { name: place } of a program's uniforms.
export function places(of) {
   const all = {};
   for (let i = 0; i < gl.getProgramParameter(of, gl.ACTIVE_UNIFORMS); i++) {
      const { name } = gl.getActiveUniform(of, i);
      all[name.replace('[0]', '')] = gl.getUniformLocation(of, name);
   }
   return all;
}

export function cover() {
   gl.drawArrays(gl.TRIANGLES, 0, 3);
}

// Sets the viewport to a cell of a grid of the canvas.
export function cell(index, columns, rows) {
   const width = Math.floor(page.width / columns), height = Math.floor(page.height / rows);
   gl.viewport(index % columns * width, (rows - 1 - Math.floor(index / columns)) * height, width, height);
}

// A texture: `levels` of immutable storage, without filter.
export function texture(target, levels, format, ...size_px) {
   const made = gl.createTexture();
   gl.bindTexture(target, made);
   (size_px.length === 3 ? gl.texStorage3D : gl.texStorage2D).call(gl, target, levels, format, ...size_px);
   for (const filter of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(target, filter, gl.NEAREST);
   return made;
}

// A frame buffer with textures as its colours.
export function target(...textures) {
   const made = gl.createFramebuffer();
   gl.bindFramebuffer(gl.FRAMEBUFFER, made);
   textures.forEach((colour, i) => {
      gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0 + i, gl.TEXTURE_2D, colour, 0);
   });
   gl.drawBuffers(textures.map((_, i) => gl.COLOR_ATTACHMENT0 + i));
   page.expect('frame buffer', gl.checkFramebufferStatus(gl.FRAMEBUFFER), gl.FRAMEBUFFER_COMPLETE);
   return made;
}

export function buffer(where, data, usage = gl.STATIC_DRAW) {
   const made = gl.createBuffer();
   gl.bindBuffer(where, made);
   gl.bufferData(where, data, usage);
   return made;
}
