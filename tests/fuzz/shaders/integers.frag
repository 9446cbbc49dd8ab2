// SPDX-License-Identifier: MIT
// Whole numbers: Euclid's and Collatz' loops.
precision highp float;
precision highp int;
uniform int count;

int divisor(int a, int b)
{
   for (int i = 0; i < 16; i++) {
      if (b == 0)
         return a;
      int rest = a - a / b * b;
      a = b;
      b = rest;
   }
   return -1;
}

void main()
{
   ivec2 place = ivec2(gl_FragCoord.xy) + ivec2(1, count);
   int common = divisor(place.x * 6, place.y * 4);
   int number = place.x + place.y * 3;
   int steps = 0;
   while (number != 1 && steps < 60) {
      if (number / 2 * 2 == number)
         number /= 2;
      else
         number = 3 * number + 1;
      steps++;
   }
   ivec3 mixed = ivec3(common, steps, count);
   mixed.xy += mixed.zz - 1;
   bvec3 less = lessThan(mixed, ivec3(5, 50, 5));
   gl_FragColor = vec4(mixed, less.x || any(less) ? 1.0 : 0.5);
}
