// SPDX-License-Identifier: MIT
// Two lamps on a wavy floor, as vertex programs of games do it.
attribute vec2 place;
attribute vec4 position;
varying vec4 result;
uniform vec4 tint;
uniform float time;

const int lamps = 2;

vec3 lamp(int n)
{
   return n == 0 ? vec3(2.0, 3.0, 4.0) : vec3(12.0, 5.0, 9.0) * tint.www;
}

void main()
{
   float high = sin(place.x * 0.5 + time) + cos(place.y * 0.25);
   vec3 at = vec3(place.x, high, place.y);
   vec3 normal = normalize(vec3(-0.5 * cos(place.x * 0.5 + time), 1.0, 0.25 * sin(place.y * 0.25)));
   vec3 sum = tint.rgb * 0.1;
   for (int i = 0; i < lamps; i++) {
      vec3 to = lamp(i) - at;
      float far = length(to);
      float share = dot(normal, to) / far;
      if (share > 0.0) {
         sum += share / (1.0 + 0.1 * far * far);
         sum.g += pow(share, 8.0);
      }
   }
   result = vec4(sum, high);
   gl_Position = position;
   gl_PointSize = 1.0;
}
