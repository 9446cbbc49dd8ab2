#version 300 es
// SPDX-License-Identifier: MIT
// Bits of unsigned and signed numbers: a hash, turned words, counted bits.
precision highp float;
precision highp int;
uniform int count;
out vec4 color;

uint turned(uint word, int bits)
{
   int left = bits & 31;
   if (left == 0)
      return word;
   return word << left | word >> (32 - left);
}

uint mixed(uint word)
{
   word ^= word >> 16;
   word *= 0x7feb352du;
   word ^= word >> 15;
   word *= 0x846ca68bu;
   return word ^ word >> 16u;
}

int bits(uint word)
{
   int found = 0;
   while (word != 0u) {
      word &= word - 1u;
      found++;
   }
   return found;
}

void main()
{
   uvec2 place = uvec2(gl_FragCoord.xy);
   uint word = mixed(place.x + place.y * 16u + uint(count));
   for (int i = 0; i < count; i++)
      word = turned(word, int(place.x) + i) + place.y;
   ivec3 parts = ivec3(int(word) >> 24, int(word << 8) >> 20, int(word & 0xfffu) % 100);
   parts.yz = ~parts.zy | ivec2(1, count);
   uvec3 quarters = uvec3(word % 7u, word / 0x1000000u, bits(word));
   quarters = (quarters << 2) ^ uvec3(3u);
   if ((word & 1u) == 1u && parts.x < 0)
      quarters.x += uint(-parts.x);
   color = vec4(vec3(parts) * 0.125 + vec3(quarters), float(bits(word ^ place.x)));
}
