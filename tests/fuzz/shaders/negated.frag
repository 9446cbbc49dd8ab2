// SPDX-License-Identifier: MIT
// A matrix that loops negate in place and an index writes: its columns are copied to themselves.
precision highp float;
uniform float time;
uniform int count;
mat2 columns = mat2(1.0, 2.0, 3.0, 4.0);
void main() {
   float sum = 0.0;
   while (sum < 20.0) {
      if (gl_FragCoord.x > 4.0) {
         for (int i = 0; i < 4 && sum < 3.0; i++) {
            sum += float(i);
            columns = -columns;
         }
      }
      sum += 2.0;
      if (sum > time * gl_FragCoord.y)
         break;
   }
   columns[count / 5] = vec2(sum);
   gl_FragColor = vec4(columns[0], columns[1]);
}
