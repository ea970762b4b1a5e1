#version 120
// joint-offsets-article: joint-offsets, rotated by two products of quaternions as in article 002.
//
// Attributes, uniforms, limits  as joint-offsets.vert
//
// Differs from the article's program in names of attributes, and in the normals, which it leaves to the reader.

#define EPS 0.001

attribute vec4 weights;
attribute vec4 offset0;
attribute vec4 offset1;
attribute vec4 offset2;
attribute vec4 offset3;
attribute vec3 normal0;
attribute vec3 normal1;
attribute vec3 normal2;
attribute vec3 normal3;

uniform vec4 boneQuat[JOINTS];
uniform vec4 bonePos[JOINTS];

// q v q^-1 by two products, as the article's quatMul.
vec3 turned(vec4 q, vec3 v)
{
    return multiply(multiply(q, vec4(v, 0.0)), vec4(-q.xyz, q.w)).xyz;
}

void add_joint(float weight, vec4 offset, vec3 joint_normal, inout vec3 p, inout vec3 n)
{
    if (weight > EPS) {
        int joint = int(offset.w + 0.5);
        vec4 q = boneQuat[joint];
        p += weight * (bonePos[joint].xyz + turned(q, offset.xyz));
        n += weight * turned(q, joint_normal);
    }
}

void skin(out vec3 model_position, out vec3 model_normal)
{
    vec3 p = vec3(0.0);
    vec3 n = vec3(0.0);
    add_joint(weights.x, offset0, normal0, p, n);
    add_joint(weights.y, offset1, normal1, p, n);
    add_joint(weights.z, offset2, normal2, p, n);
    add_joint(weights.w, offset3, normal3, p, n);
    model_position = p;
    model_normal = normalize(n);
}
