#version 120
// bone-texture: the palette in float textures that the vertex shader reads (article 003).
//
// Attributes  position, normal, tangent: model space of the bind pose
//             weights: four, 0 where unused
//             joints: palette indices, whole numbers
//             copy (with instancing; otherwise a uniform): position of the copy (xyz), its row (w)
// Uniforms    bone_rotations, bone_translations: one texel per joint, one row per copy: quaternion and translation of
//             skin = pose * inverse(bind); nearest texel, level 0, clamped
//             bone_texels: width and height of both
// Limits      four influences, 256 joints, rigid joints; no uniform registers

attribute vec3 position;
attribute vec3 normal;
attribute vec4 tangent;
attribute vec4 weights;
attribute vec4 joints;

uniform sampler2D bone_rotations;
uniform sampler2D bone_translations;
uniform vec2 bone_texels;

#ifdef INSTANCED
attribute vec4 copy;
#else
uniform vec4 copy;
#endif

// The rotation becomes a matrix before it is blended, as in the article.
void add_joint(float weight, float joint, inout vec4 x, inout vec4 y, inout vec4 z)
{
    vec2 texel = (vec2(joint, copy.w) + 0.5) / bone_texels;
    vec4 q = texture2DLod(bone_rotations, texel, 0.0);
    vec3 t = texture2DLod(bone_translations, texel, 0.0).xyz;
    vec3 two = 2.0 * q.xyz;
    vec3 square = q.xyz * two;
    vec3 mixed = q.xyz * two.yzx;
    vec3 turn = q.w * two;
    x += weight * vec4(1.0 - square.y - square.z, mixed.x - turn.z, mixed.z + turn.y, t.x);
    y += weight * vec4(mixed.x + turn.z, 1.0 - square.x - square.z, mixed.y - turn.x, t.y);
    z += weight * vec4(mixed.z - turn.y, mixed.y + turn.x, 1.0 - square.x - square.y, t.z);
}

void skin(out vec3 model_position, out vec3 model_normal, out vec3 model_tangent)
{
    vec4 x = vec4(0.0);
    vec4 y = vec4(0.0);
    vec4 z = vec4(0.0);
    add_joint(weights.x, joints.x, x, y, z);
    add_joint(weights.y, joints.y, x, y, z);
    add_joint(weights.z, joints.z, x, y, z);
    add_joint(weights.w, joints.w, x, y, z);

    vec4 p = vec4(position, 1.0);
    model_position = vec3(dot(x, p), dot(y, p), dot(z, p)) + copy.xyz;
    model_normal = normalize(vec3(
        dot(cross(y.xyz, z.xyz), normal),
        dot(cross(z.xyz, x.xyz), normal),
        dot(cross(x.xyz, y.xyz), normal)));
    model_tangent = vec3(dot(x.xyz, tangent.xyz), dot(y.xyz, tangent.xyz), dot(z.xyz, tangent.xyz));
}
