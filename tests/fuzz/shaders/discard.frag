// SPDX-License-Identifier: MIT
// Dots in a field; between them nothing is written.
precision highp float;
uniform vec4 tint;

bool inside(vec2 place, float radius)
{
   vec2 cell = fract(place / 5.0) - 0.5;
   return dot(cell, cell) < radius * radius;
}

void main()
{
   vec2 place = gl_FragCoord.xy;
   if (!inside(place, 0.45))
      discard;
   vec4 colour = tint;
   if (inside(place, 0.3)) {
      colour.r = 1.0;
   } else if (place.x > 8.0) {
      colour.g = 0.25;
      if (place.y > 12.0)
         discard;
   } else {
      colour.b *= 0.5;
   }
   gl_FragColor = colour;
}
