#version 120
// A fragment pass over a texture: one square that covers it.
//
// Attributes  corner: -1 or 1 along x and y

attribute vec2 corner;

void main()
{
    gl_Position = vec4(corner, 0.0, 1.0);
}
