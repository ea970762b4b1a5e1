#version 110
// Flat coloured triangles in clip space: backdrop and skeleton.
//
// Attributes  clip_position: clip space; rgba: sRGB with alpha

attribute vec4 clip_position;
attribute vec4 rgba;

varying vec4 colour;

void main()
{
    colour = rgba;
    gl_Position = clip_position;
}
