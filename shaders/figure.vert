// The end of every skinning program: camera, and inputs of the light. Follows a method's file, which defines
//     void skin(out vec3 model_position, out vec3 model_normal, out vec3 model_tangent)
// or, where TANGENTS is not defined, the same without tangents, which figure.frag then derives.
//
// Attributes  uv: (0, 0) is the image's top left corner; colour: linear RGBA
// Uniforms    world_from_model: rigid placement of the model; clip_from_world: the camera
// Readback    world_position, world_normal and world_tangent are captured by transform feedback with world_from_model = 1

attribute vec2 uv;
attribute vec4 colour;

uniform mat4 world_from_model;
uniform mat4 clip_from_world;

varying vec3 world_position;
varying vec3 world_normal;
varying vec4 world_tangent;
varying vec2 surface_uv;
varying vec4 surface_colour;

void main()
{
    vec3 model_position;
    vec3 model_normal;
    vec4 turned = vec4(0.0);
#ifdef TANGENTS
    vec3 model_tangent;
    skin(model_position, model_normal, model_tangent);
    turned = vec4((world_from_model * vec4(model_tangent, 0.0)).xyz, tangent.w);
#else
    skin(model_position, model_normal);
#endif
    world_tangent = turned;
    vec4 world = world_from_model * vec4(model_position, 1.0);
    world_position = world.xyz;
    world_normal = (world_from_model * vec4(model_normal, 0.0)).xyz;
    surface_uv = uv;
    surface_colour = colour;
    gl_Position = clip_from_world * world;
}
