#version 300 es
// SPDX-License-Identifier: MIT
// A small machine: a switch in a loop, with cases that fall through and one that leaves the loop.
precision highp float;
precision highp int;
uniform int count;
out vec4 color;

int weight(int kind)
{
   switch (kind) {
   case 0:
   case 3:
      return 5;
   case 1:
      kind += 2;
      break;
   default:
      kind = kind * 2;
   }
   return kind;
}

void main()
{
   ivec2 place = ivec2(gl_FragCoord.xy);
   ivec4 stack = ivec4(place, count, 1);
   int steps = 0;
   for (int at = place.x; steps < 24; at = (at * 5 + place.y) % 11) {
      steps++;
      switch (at) {
      case 0:
         stack.x += stack.y;
         continue;
      case 1:
         stack.yz = stack.zy;
      case 2:
         stack.w++;
         break;
      case 3:
         if (stack.w > 6)
            break;
         stack.z -= weight(at);
         break;
      case 7:
         for (int i = 0; i < 9; i++) {
            if (i > stack.w)
               break;
            stack.x ^= i;
         }
         break;
      default:
         stack.y = (stack.y + weight(at)) % 97;
      case 9:
         stack.x = stack.x - at;
      }
      if (stack.x > 200 || stack.x < -200)
         break;
   }
   color = vec4(stack) + float(steps) * 0.5;
}
