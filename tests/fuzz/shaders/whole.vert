#version 300 es
// SPDX-License-Identifier: MIT
// Of a grid of points: digits of their numbers, bits of floats, and what the other function wrote.
in vec2 place;
in vec4 position;
out vec4 result;
uniform mat3 turn;
uniform float time;
uniform int count;

void divide(int number, int by, out int whole, inout int rest)
{
   whole = number / by;
   rest += number % by;
}

void main()
{
   int number = gl_VertexID * 7 + count, sum = 0, left = number;
   do {
      int next;
      divide(left, 10, next, sum);
      left = next;
   } while (left != 0);
   uint pattern = floatBitsToUint(time + place.x * 0.25) >> 12;
   pattern = (pattern & 0x3ffu) | uint(sum) << 10;
   float half_way = uintBitsToFloat(0x3f800000u | pattern);
   vec3 turned = round(turn * vec3(place, half_way) * 8.0) * 0.125;
   mat3 other = outerProduct(turned, vec3(0.5, float(sum), 1.0));
   result = vec4(other[sum % 3], trunc(half_way * 100.0));
   switch (int(pattern) & 3) {
   case 2:
      result = result.yxwz;
   case 1:
      result.w -= determinant(mat2(turned.xy, result.xz));
      break;
   default:
      break;
   }
   gl_Position = position;
   gl_PointSize = 1.0;
}
