// SPDX-License-Identifier: MIT
// Spheres and a floor, by steps along a ray.
precision highp float;
uniform float time;
uniform vec4 tint;

float sphere(vec3 at, float radius)
{
   return length(at) - radius;
}

float scene(vec3 at)
{
   float ball = sphere(at - vec3(0.0, 0.2, 3.0), 1.0);
   float small = sphere(at - vec3(sin(time) * 1.5, 0.5, 2.0), 0.4);
   return min(min(ball, small), at.y + 1.0);
}

vec3 normal_at(vec3 at)
{
   vec2 step_ = vec2(0.01, 0.0);
   return normalize(vec3(scene(at + step_.xyy) - scene(at - step_.xyy), scene(at + step_.yxy) - scene(at - step_.yxy),
                         scene(at + step_.yyx) - scene(at - step_.yyx)));
}

void main()
{
   vec2 place = gl_FragCoord.xy / 8.0 - 1.0;
   vec3 ray = normalize(vec3(place, 1.5));
   float far = 0.0;
   bool hit = false;
   for (int i = 0; i < 24; i++) {
      float near = scene(ray * far);
      if (near < 0.01) {
         hit = true;
         break;
      }
      far += near;
      if (far > 20.0)
         break;
   }
   vec3 colour = vec3(0.1, 0.2, 0.4) * (1.0 - place.y);
   if (hit) {
      vec3 n = normal_at(ray * far);
      float light = max(dot(n, vec3(0.375, 0.75, -0.5)), 0.0);
      colour = tint.rgb * light + vec3(0.05);
   }
   gl_FragColor = vec4(colour, far);
}
