// SPDX-License-Identifier: MIT
// A picture, turned, sharpened and looked at through itself.
precision highp float;
uniform sampler2D image;
uniform mat3 turn;

void main()
{
   vec2 at = (turn * vec3(gl_FragCoord.xy / 16.0, 1.0)).xy;
   vec4 middle = texture2D(image, at);
   vec4 around = vec4(0.0);
   for (int y = -1; y <= 1; y++) {
      for (int x = -1; x <= 1; x++) {
         if (x == 0 && y == 0)
            continue;
         around += texture2D(image, at + vec2(float(x), float(y)) / 8.0);
      }
   }
   vec4 sharp = middle * 2.0 - around / 8.0;
   if (sharp.a > 0.5)
      sharp = texture2D(image, sharp.xy);
   gl_FragColor = sharp;
}
