#version 110
// ddm: direct delta mush was done on the CPU; vertices are streamed every frame (Le and Lewis 2019).
//
// Attributes  position, normal, tangent: model space of the pose
// Uniforms    none of its own
// Limits      none: any number of influences and joints

attribute vec3 position;
attribute vec3 normal;
attribute vec4 tangent;

void skin(out vec3 model_position, out vec3 model_normal, out vec3 model_tangent)
{
    model_position = position;
    model_normal = normal;
    model_tangent = tangent.xyz;
}
