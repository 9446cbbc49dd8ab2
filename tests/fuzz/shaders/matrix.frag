// SPDX-License-Identifier: MIT
// Matrices, their columns and products.
precision highp float;
uniform mat3 turn;
uniform vec4 tint;

mat3 scaled(mat3 m, float by)
{
   m[0] *= by;
   m[1].y *= by;
   m[2] = m[2] + by;
   return m;
}

void main()
{
   vec3 at = vec3(gl_FragCoord.xy / 16.0, 1.0);
   mat3 m = turn * scaled(turn, 0.5);
   mat2 small = mat2(m[0].xy, m[1].xy);
   vec3 a = m * at;
   vec3 b = at * turn;
   vec2 c = small * at.xy;
   mat3 product = matrixCompMult(m, turn);
   float sum = 0.0;
   for (int i = 0; i < 3; i++)
      sum += product[i][i] + m[i].x;
   gl_FragColor = vec4(a.xy + c, dot(a, b), sum) * tint.wzyx;
}
