#version 300 es
// SPDX-License-Identifier: MIT
// Tables: constant arrays, arrays as values, indices that are computed; matrices that are no squares.
precision highp float;
precision highp int;
uniform int count;
uniform float time;
uniform vec4 tint;
out vec4 color;

const int steps[8] = int[8](3, -1, 4, 1, -5, 9, 2, 6);
const vec2 corners[4] = vec2[4](vec2(0.0, 0.5), vec2(1.0, 0.25), vec2(-0.5, 1.0), vec2(0.75, -1.0));

struct entry {
   int weight;
   vec3 value;
};

float total(float list[5], int upto)
{
   float sum = 0.0;
   for (int i = 0; i < list.length(); i++) {
      if (i < upto)
         sum += list[i];
   }
   return sum;
}

void main()
{
   ivec2 place = ivec2(gl_FragCoord.xy);
   float list[5] = float[5](time, 1.0, float(place.x), 0.5, tint.x);
   entry entries[3];
   for (int i = 0; i < 3; i++) {
      entries[i].weight = steps[(place.x + i * 3) & 7];
      entries[i].value = vec3(corners[(place.y + i) & 3], float(i));
   }
   list[place.y % 5] += 2.0;
   int chosen = (place.x * place.y + count) % 3;
   mat2x3 wide = mat2x3(entries[chosen].value, tint.xyz);
   mat3x2 high = transpose(wide);
   vec3 seen = wide * corners[place.x & 3];
   vec2 less = high * seen;
   float longest[5] = list;
   if (entries[chosen].weight < 0)
      longest[1] = -8.0;
   color = vec4(less, total(longest, place.x / 2), float(entries[(chosen + 1) % 3].weight));
}
