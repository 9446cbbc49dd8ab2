// SPDX-License-Identifier: MIT
// A loop whose only way back is in its first `if`, in the branch that the first turn does not take.
precision highp float;
uniform float time;
void main() {
   float sum = gl_FragCoord.x;
   bool first = true;
   while (true) {
      if (first) {
         sum += time;
      } else {
         first = false;
         continue;
      }
      if (sum > 3.0)
         first = false;
      break;
   }
   gl_FragColor = vec4(sum);
}
