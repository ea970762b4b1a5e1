// The end of every skinning program: camera and what the light needs. Follows a method's file, which defines
//     void skin(out vec3 model_position, out vec3 model_normal)
//
// Attributes  uv: (0, 0) is the image's top left corner; colour: linear RGBA
// Uniforms    world_from_model: where this figure stands, rigid; clip_from_world: the camera
// Readback    world_position and world_normal are captured by transform feedback with world_from_model = 1

attribute vec2 uv;
attribute vec4 colour;

uniform mat4 world_from_model;
uniform mat4 clip_from_world;

varying vec3 world_position;
varying vec3 world_normal;
varying vec2 surface_uv;
varying vec4 surface_colour;

void main()
{
    vec3 model_position;
    vec3 model_normal;
    skin(model_position, model_normal);
    vec4 world = world_from_model * vec4(model_position, 1.0);
    world_position = world.xyz;
    world_normal = (world_from_model * vec4(model_normal, 0.0)).xyz;
    surface_uv = uv;
    surface_colour = colour;
    gl_Position = clip_from_world * world;
}
