// SPDX-License-Identifier: MIT
//
// Uniform blocks: std140 offsets as the specification gives them, ranges of a buffer, arrays of blocks, one block of
// 16 KiB that a loop goes through, and a buffer that changes between draws.
import { page, gl, canvas, program, cell, cover, buffer, WHOLE, HEAD } from './raw.js';

const MIXED = `${HEAD}
struct Lamp { vec3 hue; float power; mat2 turn; };
layout(std140) uniform Mixed {
   float first; vec3 second; float third[3]; mat3 fourth; bool fifth; ivec2 sixth; Lamp lamps[2];
};
out vec4 result;
void main() {
   vec3 sum = fourth * vec3(at, 1.0) * third[1] + second * first;
   for (int i = 0; i < 2; i++)
      sum += lamps[i].hue * lamps[i].power * max(0.0, 1.0 - 3.0 * length(lamps[i].turn * (at - 0.5)));
   result = vec4(fifth ? sum + vec3(sixth, 0) * 0.01 : vec3(1, 0, 1), 1.0);
}`;
// Offsets in bytes of its members, by the rules of ES 3.0, 2.12.6.4.
const OFFSETS = { first: 0, second: 16, 'third[0]': 32, fourth: 80, fifth: 128, sixth: 136, 'lamps[0].hue': 144,
   'lamps[0].power': 156, 'lamps[0].turn': 160, 'lamps[1].hue': 192, 'lamps[1].power': 204, 'lamps[1].turn': 208 };
const MIXED_B = 240;
const LARGE = `${HEAD}
layout(std140) uniform Large { vec4 entries[1024]; };
out vec4 result;
void main() {
   vec4 sum = vec4(0);
   for (int i = 0; i < 16; i++) sum += entries[int(at.x * 63.999) * 16 + i];
   result = vec4(sum.rgb / 16.0, 1.0) * entries[int(at.y * 1023.999)].a;
}`;
const BLOCKS = `${HEAD}
layout(std140) uniform Part { vec4 colour; } parts[4];
out vec4 result;
void main() {
   int i = int(at.x * 3.999);
   result = i == 0 ? parts[0].colour : i == 1 ? parts[1].colour : i == 2 ? parts[2].colour : parts[3].colour;
}`;

function mixed_data() {
   const view = new DataView(new ArrayBuffer(MIXED_B));
   const floats = (at, ...values) => values.forEach((value, i) => view.setFloat32(at + 4 * i, value, true));
   floats(0, 0.5);
   floats(16, 0.2, 0.3, 0.4);
   [9, 0.7, 9].forEach((value, i) => floats(32 + 16 * i, value));
   [[1, 0, 0], [0, 1, 0], [0, 0, 0.3]].forEach((column, i) => floats(80 + 16 * i, ...column));
   view.setInt32(128, 1, true);
   view.setInt32(136, 3, true);
   view.setInt32(140, -7, true);
   for (const i of [0, 1]) {
      floats(144 + 48 * i, i, 1 - i, 0.5, 0.8);
      [[1, i], [0, 2]].forEach((column, c) => floats(160 + 48 * i + 16 * c, ...column));
   }
   return view;
}

function check_offsets(of) {
   const names = Object.keys(OFFSETS), indices = gl.getUniformIndices(of, names);
   page.expect('offsets', gl.getActiveUniforms(of, indices, gl.UNIFORM_OFFSET), Object.values(OFFSETS));
   page.expect('size', gl.getActiveUniformBlockParameter(of, 0, gl.UNIFORM_BLOCK_DATA_SIZE), MIXED_B);
}

function bind(of, block, point) {
   gl.uniformBlockBinding(of, gl.getUniformBlockIndex(of, block), point);
}

page.show(async () => {
   const [mixed, large, blocks] = [MIXED, LARGE, BLOCKS].map(source => program(WHOLE, source));
   check_offsets(mixed);
   const step_B = gl.getParameter(gl.UNIFORM_BUFFER_OFFSET_ALIGNMENT), colours = new Float32Array(step_B);
   for (let i = 0; i < 4; i++) colours.set([i / 3, 1 - i / 3, i & 1, 1], i * step_B / 4);
   const parts = buffer(gl.UNIFORM_BUFFER, colours), changing = buffer(gl.UNIFORM_BUFFER, 16, gl.DYNAMIC_DRAW);
   const entries = Float32Array.from({ length: 4096 }, (_, i) => i % 4 === 3 ? 0.6 + 0.4 * Math.sin(i / 300)
      : 0.5 + 0.5 * Math.sin(i / (97 + 40 * (i % 4))));
   gl.bindBufferBase(gl.UNIFORM_BUFFER, 0, buffer(gl.UNIFORM_BUFFER, mixed_data()));
   gl.bindBufferBase(gl.UNIFORM_BUFFER, 1, buffer(gl.UNIFORM_BUFFER, entries));
   bind(mixed, 'Mixed', 0);
   bind(large, 'Large', 1);
   for (let i = 0; i < 4; i++) bind(blocks, `Part[${i}]`, 2 + i);
   return (_, frame) => {
      [mixed, large, blocks].forEach((of, i) => {
         for (let k = 0; k < 4; k++) gl.bindBufferRange(gl.UNIFORM_BUFFER, 2 + k, parts, k * step_B, 16);
         gl.useProgram(of);
         cell(i, 2, 2);
         cover();
      });
      for (let k = 0; k < 4; k++) gl.bindBufferBase(gl.UNIFORM_BUFFER, 2 + k, changing);
      for (let i = 0; i < 16; i++) { // each draw sees what the buffer holds then
         gl.bufferSubData(gl.UNIFORM_BUFFER, 0, new Float32Array([i / 15, (frame + i) % 8 / 7, 0.5, 1]));
         gl.viewport(canvas.width / 2 + i % 4 * canvas.width / 8, (i >> 2) * canvas.height / 8, canvas.width / 8,
            canvas.height / 8);
         cover();
      }
   };
});
