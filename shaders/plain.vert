// For timing: the end of a skinning program with as little else as article 000's test (section 3.4): no texture and no
// light to speak of, so that the vertices are the bottleneck. Follows a method's file, as figure.vert does.
//
// Uniforms    world_from_model: where this figure stands, rigid; clip_from_world: the camera

uniform mat4 world_from_model;
uniform mat4 clip_from_world;

varying float shade;

void main()
{
    vec3 model_position;
    vec3 model_normal;
#ifdef TANGENTS
    vec3 model_tangent;
    skin(model_position, model_normal, model_tangent);
#else
    skin(model_position, model_normal);
#endif
    // The normal is used, or the driver would leave its skinning out.
    shade = 0.5 + 0.5 * model_normal.z;
    gl_Position = clip_from_world * (world_from_model * vec4(model_position, 1.0));
}
