#version 110
// The ground: one large square at the model's feet.
//
// Attributes  corner: -1 or 1 along x and y
// Uniforms    centre: world space; reach: half the square's side length; clip_from_world: the camera

attribute vec2 corner;

uniform vec3 centre;
uniform float reach;
uniform mat4 clip_from_world;

varying vec2 ground_point;
varying vec2 from_centre;

void main()
{
    vec3 world = centre + vec3(corner * reach, 0.0);
    ground_point = world.xy;
    from_centre = corner;
    gl_Position = clip_from_world * vec4(world, 1.0);
}
