#version 110
// cpu: the CPU computes the weighted sum; vertices are uploaded every frame (articles 000 SW, 001 section 3, 002).
//
// Attributes  position, normal, tangent: model space of the pose
// Uniforms    none
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
