// SPDX-License-Identifier: MIT
// Conditions in each other, with returns out of the middle.
precision highp float;
uniform int count;
uniform vec4 tint;

vec3 chosen(vec2 place)
{
   if (place.x < 4.0) {
      if (place.y < 8.0)
         return vec3(1.0, 0.5, 0.25);
      return tint.xyz;
   } else if (place.x < 10.0 && place.y > 3.0) {
      vec3 found = vec3(0.0);
      for (int i = 0; i < 8; i++) {
         if (i == count)
            return found;
         if (float(i) > place.y - 4.0)
            continue;
         found += vec3(0.125, 0.25, float(i));
      }
      return found.zyx;
   }
   bool even = mod(floor(place.x) + floor(place.y), 2.0) == 0.0;
   return even ? vec3(place, 1.0) : -vec3(place.yx, 2.0);
}

void main()
{
   vec3 colour = chosen(gl_FragCoord.xy);
   int turns = 0;
   do {
      colour = colour.yzx * 0.5 + 0.125;
      turns++;
      if (colour.x > 3.0)
         break;
   } while (turns < count);
   gl_FragColor = vec4(colour, float(turns));
}
