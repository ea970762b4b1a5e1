// Quaternions as vec4 (x, y, z, w), for methods that store a joint's rotation in one register.

// q v q^-1 for a unit quaternion.
vec3 rotate(vec4 q, vec3 v)
{
    return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v);
}

// Rows of the rotation matrix of a unit quaternion, in a dozen instructions.
void to_matrix(vec4 q, out vec3 x, out vec3 y, out vec3 z)
{
    vec3 twice = 2.0 * q.xyz;
    vec3 squares = q.xyz * twice;
    vec3 mixed = q.xxy * twice.yzz;
    vec3 turns = q.www * twice;
    x = vec3(1.0 - squares.y - squares.z, mixed.x - turns.z, mixed.y + turns.y);
    y = vec3(mixed.x + turns.z, 1.0 - squares.x - squares.z, mixed.z - turns.x);
    z = vec3(mixed.y - turns.y, mixed.z + turns.x, 1.0 - squares.x - squares.y);
}

// The product a b: first b, then a.
vec4 multiply(vec4 a, vec4 b)
{
    return vec4(a.w * b.xyz + b.w * a.xyz + cross(a.xyz, b.xyz), a.w * b.w - dot(a.xyz, b.xyz));
}

// q and -q are one rotation: the one that does not point away from the leading quaternion (article 000, appendix A).
// Within 1e-6 of a right angle both are valid and q stays, as in the CPU reference.
vec4 towards(vec4 lead, vec4 q)
{
    return dot(lead, q) < -1e-6 ? -q : q;
}
