// SPDX-License-Identifier: MIT
// Of a grid of points: a place on a turned disc, and what a table says.
attribute vec2 place;
attribute vec4 position;
varying vec4 result;
uniform mat3 turn;
uniform float time;
uniform int count;

float table(int n)
{
   float list[6];
   list[0] = 0.5;
   for (int i = 1; i < 6; i++)
      list[i] = list[i - 1] * 1.5 + time;
   return list[n < 0 ? 0 : n > 5 ? 5 : n];
}

void main()
{
   vec2 centred = place - 7.5;
   float far = length(centred);
   vec3 turned = turn * vec3(centred, far);
   int ring = int(far / 2.0);
   result = vec4(turned.xy, table(ring), 0.0);
   for (int i = 0; i < 12; i++) {
      if (i >= count + ring)
         break;
      result.w += table(i) * (i > 3 ? 0.25 : 1.0);
   }
   if (far > 9.0)
      result = result.wzyx - vec4(turned, 1.0);
   gl_Position = position;
   gl_PointSize = 1.0;
}
