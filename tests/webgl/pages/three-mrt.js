// SPDX-License-Identifier: MIT
//
// Deferred lighting: places, normals and colours go to three targets of floats and half floats in one draw, with four
// samples; then twenty lights are added up in another target of floats, and shown with the targets beside.
import * as THREE from 'three';
import { FullScreenQuad } from 'three/addons/postprocessing/Pass.js';
import { page, start, camera, spread } from './three-base.js';

const renderer = start();

const LIGHTS = 20;
const glslVersion = THREE.GLSL3;
const geometry = new THREE.ShaderMaterial({
   glslVersion,
   vertexShader: `out vec3 place, direction;
      void main() {
         vec4 world = modelMatrix * vec4(position, 1.0);
         place = world.xyz;
         direction = mat3(modelMatrix) * normal;
         gl_Position = projectionMatrix * viewMatrix * world;
      }`,
   fragmentShader: `in vec3 place, direction;
      layout(location = 0) out vec4 where;
      layout(location = 1) out vec4 facing;
      layout(location = 2) out vec4 colour;
      void main() {
         where = vec4(place, 1.0);
         facing = vec4(normalize(direction), 0.0);
         colour = vec4(0.6 + 0.4 * sin(place * vec3(1.0, 2.0, 3.0)), 1.0);
      }`,
});
const lighting = new THREE.ShaderMaterial({
   glslVersion,
   uniforms: { where: {}, facing: {}, colour: {}, lights: { value: [] } },
   vertexShader: 'out vec2 at; void main() { at = uv; gl_Position = vec4(position.xy, 0.0, 1.0); }',
   fragmentShader: `in vec2 at;
      uniform sampler2D where, facing, colour;
      uniform vec3 lights[${LIGHTS}];
      layout(location = 0) out vec4 result;
      vec3 lit(ivec2 at) {
         vec3 place = texelFetch(where, at, 0).xyz, normal = texelFetch(facing, at, 0).xyz, sum = vec3(0.03);
         for (int i = 0; i < ${LIGHTS}; i++) {
            vec3 to = lights[i] - place, hue = 0.5 + 0.5 * cos(float(i) + vec3(0, 2, 4));
            sum += hue * max(dot(normalize(to), normal), 0.0) / (1.0 + 3.0 * dot(to, to));
         }
         return texelFetch(where, at, 0).w * texelFetch(colour, at, 0).rgb * sum;
      }
      void main() {
         ivec2 whole = ivec2(gl_FragCoord.xy), part = whole * 4 % textureSize(where, 0);
         if (at.y > 0.25) result = vec4(lit(whole), 1.0);
         else if (at.x < 0.25) result = vec4(0.5 + 0.12 * texelFetch(where, part, 0).xyz, 1.0);
         else if (at.x < 0.5) result = vec4(0.5 + 0.5 * texelFetch(facing, part, 0).xyz, 1.0);
         else if (at.x < 0.75) result = texelFetch(colour, part, 0);
         else result = vec4(lit(part), 1.0);
         result.rgb = pow(result.rgb, vec3(1.0 / 2.2));
      }`,
});

page.show(async () => {
   const { scene, view } = camera(0, 3, 6);
   scene.background = null;
   const targets = new THREE.WebGLRenderTarget(page.width, page.height, { count: 3, type: THREE.HalfFloatType,
      samples: 4, minFilter: THREE.NearestFilter, magFilter: THREE.NearestFilter });
   targets.textures[0].type = THREE.FloatType;
   ['where', 'facing', 'colour'].forEach((name, i) => { lighting.uniforms[name].value = targets.textures[i]; });
   const lights = lighting.uniforms.lights.value;
   for (let i = 0; i < LIGHTS; i++) lights.push(new THREE.Vector3(3 * spread(), 0.3 + Math.random(), 2 * spread()));
   const floor = new THREE.Mesh(new THREE.PlaneGeometry(8, 6).rotateX(-Math.PI / 2), geometry);
   const shape = new THREE.Mesh(new THREE.TorusKnotGeometry(0.8, 0.3, 128, 24), geometry);
   floor.position.y = -0.6;
   shape.position.y = 0.5;
   scene.add(floor, shape);
   const quad = new FullScreenQuad(lighting);
   renderer.setClearColor(0, 0);
   return time_s => {
      shape.rotation.set(time_s, time_s, 0);
      renderer.setRenderTarget(targets);
      renderer.clear();
      renderer.render(scene, view);
      renderer.setRenderTarget(null);
      quad.render(renderer);
   };
});
