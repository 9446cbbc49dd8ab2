// SPDX-License-Identifier: MIT
// Iterations until a point leaves a circle.
precision highp float;

void main()
{
   vec2 c = vec2(gl_FragCoord.x * 0.1875 - 2.0, gl_FragCoord.y * 0.125 - 1.0);
   vec2 z = vec2(0.0);
   int turns = 0;
   for (int i = 0; i < 40; i++) {
      if (dot(z, z) > 4.0)
         break;
      float x = z.x * z.x - z.y * z.y + c.x;
      z.y = 2.0 * z.x * z.y + c.y;
      z.x = x;
      turns++;
   }
   float share = float(turns) / 40.0;
   if (turns == 40)
      gl_FragColor = vec4(0.0, 0.0, 0.0, 1.0);
   else
      gl_FragColor = vec4(share, share * share, 1.0 - share, 1.0);
}
