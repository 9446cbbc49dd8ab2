// SPDX-License-Identifier: MIT
//
// A page with the fault that its address names, which the suite has to see; with `none` there is none.
import { page, gl, program, WHOLE } from './raw.js';

const FAULTS = {
   none: () => {},
   error: () => gl.enable(0x1234),
   shader: () => program(WHOLE, '#version 300 es\nvoid main() { nonsense(); }'),
   program: () => program(WHOLE,
                          '#version 300 es\nin highp vec3 other;\nout highp vec4 r;\nvoid main() { r = other.xyzz; }'),
   exception: () => { throw new Error('planted'); },
   rejection: () => { Promise.reject(new Error('planted')); },
   value: () => page.expect('planted', [1, 2], [1, 3], 0.5),
   number: () => page.expect('planted', NaN, 1, 0.5),
   console: () => console.error('planted'),
   missing: () => fetch('/lib/nothing'),
   context: () => gl.getExtension('WEBGL_lose_context').loseContext(),
};

page.show(async () => {
   await FAULTS[new URLSearchParams(location.search).get('planted')]();
   return () => gl.clear(gl.COLOR_BUFFER_BIT);
});
