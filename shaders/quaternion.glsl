// Quaternions as vec4 (x, y, z, w), for methods that store a joint's rotation in one register.

// q v q^-1 for a unit quaternion.
vec3 rotate(vec4 q, vec3 v)
{
    return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v);
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
