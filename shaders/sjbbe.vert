#version 120
// sjbbe: spherical joint blending by example (article 000 section 5.3).
//
// Attributes  position: model space of the bind pose, minus the bind position of the first joint
//             normal, tangent: model space of the bind pose
//             weights: four, 0 where unused
//             joints: palette indices, the deepest joint first, the one nearest the root last; unused ones repeat it
//             those of examples.glsl
// Uniforms    boneQuat[JOINTS]: rotation of  skin = pose * inverse(bind)
//             bonePos[JOINTS]: the joint's position in the pose
// Limits      four influences, four examples per joint, JOINTS joints in a batch (82 at 256 registers), rigid joints
//
// Differs from the article's program, which is sjbbe-article.vert, as sjb.vert does.

attribute vec3 position;
attribute vec3 normal;
attribute vec4 tangent;
attribute vec4 weights;
attribute vec4 joints;

uniform vec4 boneQuat[JOINTS];
uniform vec4 bonePos[JOINTS];

void skin(out vec3 model_position, out vec3 model_normal, out vec3 model_tangent)
{
    vec4 lead = boneQuat[int(joints.w + 0.5)];
    vec4 q = weights.x * towards(lead, boneQuat[int(joints.x + 0.5)])
           + weights.y * towards(lead, boneQuat[int(joints.y + 0.5)])
           + weights.z * towards(lead, boneQuat[int(joints.z + 0.5)])
           + weights.w * lead;
    q = normalize(q);

    vec3 p = position;
    vec3 n = normal;
    correct(p, n);
    model_position = rotate(q, p) + bonePos[int(joints.x + 0.5)].xyz;
    model_normal = normalize(rotate(q, n));
    model_tangent = rotate(q, tangent.xyz);
}
