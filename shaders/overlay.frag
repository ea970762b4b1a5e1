// Flat colour, for overlay.vert.

varying vec4 colour;

void main()
{
    gl_FragColor = colour;
}
