#version 110
// Covers the target with one square, for blur.frag.
//
// Attributes  corner: -1 or 1 along x and y

attribute vec2 corner;

varying vec2 uv;

void main()
{
    uv = 0.5 + 0.5 * corner;
    gl_Position = vec4(corner, 0.0, 1.0);
}
