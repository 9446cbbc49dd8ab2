// SPDX-License-Identifier: MIT
// An array of ten numbers, sorted.
precision highp float;
uniform float time;

void main()
{
   float list[10];
   int first = int(gl_FragCoord.x);
   for (int i = 0; i < 10; i++) {
      int turned = (i * 7 + first) - (i * 7 + first) / 10 * 10;
      list[i] = float(turned) + time;
   }
   for (int i = 0; i < 9; i++) {
      for (int k = 0; k < 10; k++) {
         if (k <= i)
            continue;
         if (list[k] < list[i]) {
            float held = list[i];
            list[i] = list[k];
            list[k] = held;
         }
      }
   }
   int row = int(gl_FragCoord.y / 16.0 * 10.0);
   float sum = 0.0;
   for (int i = 0; i < 10; i++)
      sum = sum * 0.5 + list[i];
   gl_FragColor = vec4(list[row], list[9] - list[0], sum, 1.0);
}
