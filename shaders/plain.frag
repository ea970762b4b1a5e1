// For timing: the shade that plain.vert made.

varying float shade;

void main()
{
    gl_FragColor = vec4(vec3(shade), 1.0);
}
