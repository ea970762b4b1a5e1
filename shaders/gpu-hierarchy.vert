#version 120
// gpu-hierarchy: vertices that fragment passes have computed (article 002's closing section, render to vertex buffer).
//
// Previous passes: gpu-hierarchy.joints.frag (log2 of the depth times), gpu-hierarchy.vertices.frag (once).
//
// Attributes  vertex_texel: column and row of this vertex in the texture of vertices
//             copy (with instancing; otherwise a uniform): position of the copy (xyz), its row (w)
// Uniforms    vertices: position and normal of each vertex side by side; nearest texel, level 0, clamped
//             vertex_texels: width and height of that texture; rows_per_copy: rows per copy
// Limits      any number of influences and joints that the textures hold, rigid joints

attribute vec2 vertex_texel;

uniform sampler2D vertices;
uniform vec2 vertex_texels;
uniform float rows_per_copy;

#ifdef INSTANCED
attribute vec4 copy;
#else
uniform vec4 copy;
#endif

void skin(out vec3 model_position, out vec3 model_normal)
{
    vec2 texel = vec2(2.0 * vertex_texel.x, vertex_texel.y + copy.w * rows_per_copy) + 0.5;
    model_position = texture2DLod(vertices, texel / vertex_texels, 0.0).xyz + copy.xyz;
    texel.x += 1.0;
    model_normal = texture2DLod(vertices, texel / vertex_texels, 0.0).xyz;
}
