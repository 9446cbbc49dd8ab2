// SPDX-License-Identifier: MIT
// Special functions, swizzles and selections.
precision highp float;
uniform float time;

vec4 wave(vec2 at, float pace)
{
   float a = sin(at.x * pace + time), b = cos(at.y * pace - time);
   return vec4(a, b, exp2(a * b), sqrt(abs(a + b)));
}

void main()
{
   vec2 at = gl_FragCoord.xy / 7.0;
   vec4 sum = vec4(0.0);
   float pace = 1.0;
   for (int i = 0; i < 5; i++) {
      vec4 one = wave(at.yx, pace);
      sum.xz += one.yx * (i < 2 ? 0.5 : 0.25);
      sum.wy = mix(sum.wy, one.zw, 0.5);
      pace *= 1.75;
   }
   vec2 way = at.x > at.y ? vec2(pow(at.x, 1.5), log2(at.y + 1.0)) : vec2(atan(at.y, at.x), inversesqrt(at.y));
   sum = clamp(sum, -2.0, 2.0) + way.xyxy * smoothstep(0.5, 2.0, at.x);
   gl_FragColor = at.x < 0.5 ? sum.wzyx : sum;
}
