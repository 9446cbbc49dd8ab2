// SPDX-License-Identifier: MIT
// Structures in and out of functions.
precision highp float;
uniform float time;
uniform vec4 tint;

struct lamp {
   vec3 place, colour;
   float power;
};

void move_lamp(inout lamp l, in vec3 by, out float way)
{
   l.place += by;
   l.power *= 0.75;
   way = length(by);
}

lamp lamp_at(float n)
{
   return lamp(vec3(n, n * 0.5, 2.0), vec3(1.0, n / 3.0, 0.5), 2.0 + n);
}

void main()
{
   vec3 at = vec3(gl_FragCoord.xy / 4.0, 0.0);
   vec3 sum = vec3(0.0);
   float ways = 0.0;
   for (float n = 0.0; n < 3.0; n += 1.0) {
      lamp l = lamp_at(n);
      float way;
      move_lamp(l, vec3(time, tint.x, n), way);
      ways += way;
      float far = distance(l.place, at);
      sum += l.colour * l.power / (1.0 + far * far);
   }
   gl_FragColor = vec4(sum, ways);
}
