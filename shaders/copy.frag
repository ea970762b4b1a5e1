// Copies each texel to the pixel of its position; of several samples, their mean.
//
// Uniforms    picture: input image; size: its width and height in texels

#if SAMPLES > 1
uniform sampler2DMS picture;
#else
uniform sampler2D picture;
#endif
uniform vec2 size;

in vec2 uv;

out vec4 colour;

void main()
{
    ivec2 at = ivec2(uv * size);
    vec4 sum = vec4(0.0);
    for (int i = 0; i < SAMPLES; i++)
        sum += texelFetch(picture, at, i);
    colour = sum / float(SAMPLES);
}
