#!/usr/bin/env python3
"""Smallest cross-section of a twisted limb, by cutting the posed triangles with planes across the bone.

    sections.py PROGRAM MODEL JOINT=AXIS,DEGREES CHILD REACH METHOD...

Prints for each method the smallest signed area and the smallest least width of all planes within REACH units of the
joint, over those at rest. Points farther from the bone than REACH belong to other limbs. Positions come from `dump`.
"""
import json
import math
import subprocess
import sys

program, model, turn, child, reach, *methods = sys.argv[1:]
reach = float(reach)


def dump(stage, *more):
    command = [program, "dump", model, "--stage", stage, "--format", "json", *more]
    return json.loads(subprocess.run(command, capture_output=True, check=True).stdout)["items"]


def records(items, kind):
    for item in items:
        if item.get("record") == kind:
            yield item
        yield from records(item.get("items", []), kind)


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def unit(a):
    length = math.sqrt(dot(a, a))
    return [x / length for x in a]


def minus(a, b):
    return [x - y for x, y in zip(a, b)]


joints = {joint["name"]: joint["position"] for joint in records(dump("model-pose"), "joint")}
origin = joints[turn.split("=")[0]]
bone = unit(minus(joints[child], origin))
side = unit(cross(bone, [1, 0, 0] if abs(bone[0]) < 0.5 else [0, 1, 0]))
axes = [bone, side, cross(bone, side)]
triangles = [[t["corners"] for t in records(m["items"], "triangle")] for m in records(dump("model"), "mesh")]


def cuts(items):
    meshes = [[v["position"] for v in records(m["items"], "vertex")] for m in records(items, "mesh")]
    points = [[[dot(minus(p, origin), axis) for axis in axes] for p in mesh] for mesh in meshes]
    for step in range(-100, 101):
        height = reach * (step + 0.01) / 100
        area, ends = 0.0, []
        for mesh, corners in zip(points, triangles):
            for a, b, c in corners:
                a, b, c = mesh[a], mesh[b], mesh[c]
                cut = []
                for p, q in ((a, b), (b, c), (c, a)):
                    if (p[0] < height) != (q[0] < height):
                        share = (height - p[0]) / (q[0] - p[0])
                        cut.append([p[i] + share * (q[i] - p[i]) for i in (1, 2)])
                if len(cut) < 2 or any(math.hypot(*end) > reach for end in cut):
                    continue
                # Seen against the bone, the outside is on the right of a segment.
                normal = cross(minus(b, a), minus(c, a))
                if (cut[1][1] - cut[0][1]) * normal[1] < (cut[1][0] - cut[0][0]) * normal[2]:
                    cut.reverse()
                area += (cut[0][0] * cut[1][1] - cut[0][1] * cut[1][0]) / 2
                ends += cut
        widths = []
        for turned in range(16):
            sin, cos = math.sin(math.pi * turned / 16), math.cos(math.pi * turned / 16)
            along = [cos * x + sin * y for x, y in ends] or [0]
            widths.append(max(along) - min(along))
        yield area, min(widths)


rest = list(cuts(dump("vertices")))
for method in methods:
    posed = list(zip(cuts(dump("vertices", "--method", method, "--pose", turn)), rest))
    shares = [(abs(now[0]) / before[0], now[1] / before[1]) for now, before in posed if before[0] > 0 and before[1] > 0]
    print(method, min(share[0] for share in shares), min(share[1] for share in shares))
