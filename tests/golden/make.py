#!/usr/bin/env python3
"""Poses and skinned vertices of the bundled samples, computed in float64 from the formats' rules alone.

    tests/golden/make.py           writes tests/golden/*.json
    tests/golden/make.py --check   compares those files with new results, and writes nothing

Shares no code with the project and needs only Python's standard library. The tests compare the project's poses with the
written numbers. Rules:

MD5   A file's quaternion (x, y, z) is (x, y, z, -w) for column vectors, w = sqrt(max(0, 1 - x² - y² - z²)), then unit length.
      Joints of meshes are in model space, those of clips in the space of their parents. A clip's component replaces the
      base frame's in the order Tx Ty Tz Qx Qy Qz. A vertex is the sum of bias * (rotation * offset + position).
.x    Row vectors: v' = v * M, world = local * parent's world. A rotation key is (w, x, y, z), and its textbook column-vector
      matrix is the row-vector matrix as written. Keys are made unit, rotations take the short way, local = S * R * T replaces
      the frame's matrix. A skinned vertex is the sum of weight * v * offset * world. Times are ticks, held at both ends.
"""

import json
import math
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, "..", "..", "data")

MESHES = ["md5/cylinder.md5mesh", "md5/mannequin_light.md5mesh", "quake/progs/banner.md5mesh"]
CLIPS = [
    ("md5/cylinder_bend.md5anim", "md5/cylinder.md5mesh"),
    ("md5/cylinder_twist.md5anim", "md5/cylinder.md5mesh"),
    ("md5/idle.md5anim", "md5/mannequin_light.md5mesh"),
    ("md5/jump.md5anim", "md5/mannequin_light.md5mesh"),
    ("md5/run.md5anim", "md5/mannequin_light.md5mesh"),
    ("md5/walk.md5anim", "md5/mannequin_light.md5mesh"),
    ("md5/wave.md5anim", "md5/mannequin_light.md5mesh"),
    ("quake/progs/banner.md5anim", "quake/progs/banner.md5mesh"),
]
X_FILES = ["x/cylinder.x", "x/mannequin_light.x"]


# Quaternions are (x, y, z, w), vectors are triples.
def unit(values):
    length = math.sqrt(sum(value * value for value in values))
    return [value / length for value in values]


def product(a, b):
    ax, ay, az, aw = a
    bx, by, bz, bw = b
    return [
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    ]


def turned(q, v):
    x, y, z, w = q
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    return [sum(row[axis] * v[axis] for axis in range(3)) for row in rows]


def box(points):
    return [[min(p[axis] for p in points) for axis in range(3)], [max(p[axis] for p in points) for axis in range(3)]]


def samples(points):
    """Eight vertices, evenly spread."""
    return [[at] + list(points[at]) for at in (number * (len(points) - 1) // 7 for number in range(8))]


def largest(points):
    return max(abs(part) for point in points for part in point)


# MD5


def words_of(path):
    with open(path, encoding="ascii") as file:
        text = re.sub(r"//[^\n]*", "", file.read())
    return iter(re.findall(r'"[^"]*"|[(){}]|[^\s(){}"]+', text))


def numbers(words, count):
    found = []
    while len(found) < count:
        word = next(words)
        if word not in ("(", ")"):
            found.append(float(word))
    while count and next(words) != ")":
        raise ValueError("expected )")
    return found


def rotation(x, y, z):
    return unit([x, y, z, -math.sqrt(max(0.0, 1 - x * x - y * y - z * z))])


def read_mesh(name):
    words = words_of(os.path.join(DATA, name))
    mesh = {"version": None, "joints": [], "meshes": []}
    for word in words:
        if word == "MD5Version":
            mesh["version"] = int(next(words))
        elif word == "numJoints":
            count = int(next(words))
        elif word == "joints":
            assert next(words) == "{"
            for _ in range(count):
                joint, parent = next(words)[1:-1], int(next(words))
                position, turn = numbers(words, 3), numbers(words, 3)
                mesh["joints"].append((joint, parent, position, rotation(*turn)))
        elif word == "mesh":
            assert next(words) == "{"
            part = {"verts": [], "tris": 0, "weights": []}
            for word in words:
                if word == "}":
                    break
                if word == "shader":
                    part["shader"] = next(words)[1:-1]
                elif word == "vert":
                    next(words)
                    numbers(words, 2)
                    part["verts"].append((int(next(words)), int(next(words))))
                elif word == "tri":
                    for _ in range(4):
                        next(words)
                    part["tris"] += 1
                elif word == "weight":
                    next(words)
                    part["weights"].append((int(next(words)), float(next(words)), numbers(words, 3)))
            mesh["meshes"].append(part)
    return mesh


def skinned(mesh, joints):
    """Vertices of each mesh in a pose of (position, rotation)."""
    found = []
    for part in mesh["meshes"]:
        points = []
        for first, count in part["verts"]:
            point = [0.0, 0.0, 0.0]
            for joint, bias, offset in part["weights"][first : first + count]:
                position, turn = joints[joint]
                at = turned(turn, offset)
                point = [point[axis] + bias * (at[axis] + position[axis]) for axis in range(3)]
            points.append(point)
        found.append(points)
    return found


def rows_of(joints):
    rows = []
    for index, (position, turn) in enumerate(joints):
        sign = -1.0 if turn[3] < 0 else 1.0
        rows.append([index] + list(position) + [sign * part for part in turn])
    return rows


def shown(parts):
    return [{"bbox": box(points), "verts": samples(points)} for points in parts]


def md5_mesh(name):
    mesh = read_mesh(name)
    pose = [(position, turn) for _, _, position, turn in mesh["joints"]]
    parts = skinned(mesh, pose)
    return {
        "kind": "md5mesh",
        "file": name,
        "md5version": mesh["version"],
        "joint_count": len(pose),
        "joint_step": 1,
        "joint_names": [joint[0] for joint in mesh["joints"]],
        "joint_parents": [joint[1] for joint in mesh["joints"]],
        "meshes": [
            {
                "shader": part["shader"],
                "verts": len(part["verts"]),
                "tris": part["tris"],
                "weights": len(part["weights"]),
                "max_weights": max(count for _, count in part["verts"]),
            }
            for part in mesh["meshes"]
        ],
        "scale": max(largest(points) for points in parts),
        "bind": {"joints": rows_of(pose), "meshes": shown(parts)},
    }


def read_clip(name):
    words = words_of(os.path.join(DATA, name))
    clip = {"hierarchy": [], "base": [], "frames": []}
    for word in words:
        if word in ("MD5Version", "numFrames", "numJoints", "frameRate", "numAnimatedComponents"):
            clip[word] = int(next(words))
        elif word == "hierarchy":
            assert next(words) == "{"
            for _ in range(clip["numJoints"]):
                clip["hierarchy"].append((next(words)[1:-1], int(next(words)), int(next(words)), int(next(words))))
        elif word == "baseframe":
            assert next(words) == "{"
            clip["base"] = [numbers(words, 3) + numbers(words, 3) for _ in range(clip["numJoints"])]
        elif word == "frame":
            assert int(next(words)) == len(clip["frames"]) and next(words) == "{"
            clip["frames"].append([float(next(words)) for _ in range(clip["numAnimatedComponents"])])
    return clip


def posed(clip, frame):
    joints = []
    for (_, parent, flags, first), base in zip(clip["hierarchy"], clip["base"]):
        values, at = list(base), first
        for component in range(6):
            if flags & (1 << component):
                values[component] = clip["frames"][frame][at]
                at += 1
        position, turn = values[:3], rotation(*values[3:])
        if parent >= 0:
            parent_position, parent_turn = joints[parent]
            moved = turned(parent_turn, position)
            position = [moved[axis] + parent_position[axis] for axis in range(3)]
            turn = product(parent_turn, turn)
        joints.append((position, turn))
    return joints


def md5_clip(name, mesh_name):
    clip, mesh = read_clip(name), read_mesh(mesh_name)
    assert [joint[:2] for joint in clip["hierarchy"]] == [joint[:2] for joint in mesh["joints"]], name
    frames = sorted({0, clip["numFrames"] // 2, clip["numFrames"] - 1})
    poses = [posed(clip, frame) for frame in frames]
    parts = [skinned(mesh, pose) for pose in poses]
    return {
        "kind": "md5anim",
        "file": name,
        "md5version": clip["MD5Version"],
        "joint_count": clip["numJoints"],
        "frame_count": clip["numFrames"],
        "frame_rate": clip["frameRate"],
        "components": clip["numAnimatedComponents"],
        "joint_step": 1,
        "joint_names": [joint[0] for joint in clip["hierarchy"]],
        "joint_parents": [joint[1] for joint in clip["hierarchy"]],
        "frames": [{"frame": frame, "joints": rows_of(pose)} for frame, pose in zip(frames, poses)],
        "skinned": [
            {
                "mesh": mesh_name,
                "scale": max(largest(points) for meshes in parts for points in meshes),
                "frames": [{"frame": frame, "meshes": shown(meshes)} for frame, meshes in zip(frames, parts)],
            }
        ],
    }


# .x: a matrix is its 16 numbers in file order, so that entry 4 * row + column is that of row vectors.

IDENTITY = [1.0, 0, 0, 0, 0, 1.0, 0, 0, 0, 0, 1.0, 0, 0, 0, 0, 1.0]


def times(a, b):
    return [sum(a[4 * row + at] * b[4 * at + column] for at in range(4)) for row in range(4) for column in range(4)]


def moved(v, m):
    return [sum((list(v) + [1.0])[row] * m[4 * row + column] for row in range(4)) for column in range(3)]


class Node:
    """An object: its type, name, values in order, objects inside, and names that it refers to."""

    def __init__(self, kind, name):
        self.kind, self.name = kind, name
        self.values, self.children, self.references = [], [], []

    def all(self, kind):
        return [child for child in self.children if child.kind == kind]

    def one(self, kind):
        found = self.all(kind)
        assert len(found) <= 1, kind
        return found[0] if found else None


def read_x(name):
    with open(os.path.join(DATA, name), encoding="ascii") as file:
        header, text = file.read().split("\n", 1)
    assert header == "xof 0303txt 0032"
    text = re.sub(r"template \w+ \{[^}]*\}", "", text)
    words = re.findall(r'"[^"]*"|[{}]|[^\s;,{}"]+', text)
    root, at = Node("", ""), 0
    path = [root]
    while at < len(words):
        word = words[at]
        at += 1
        if word == "}":
            path.pop()
        elif word == "{":
            path[-1].references.append(words[at])
            assert words[at + 1] == "}"
            at += 2
        elif word[0] == '"':
            path[-1].values.append(word[1:-1])
        elif word[0].isalpha():
            called = words[at] if words[at] != "{" else ""
            at += 2 if called else 1
            node = Node(word, called)
            path[-1].children.append(node)
            path.append(node)
        else:
            path[-1].values.append(float(word))
    assert path == [root]
    return root


def frames_of(root):
    """Frames in depth-first order: node and index of the parent."""
    found = []

    def visit(node, parent):
        for child in node.all("Frame"):
            found.append((child, parent))
            visit(child, len(found) - 1)

    visit(root, -1)
    return found


def worlds_of(frames, locals_by_name):
    worlds = []
    for node, parent in frames:
        matrix = node.one("FrameTransformMatrix")
        local = locals_by_name.get(node.name, matrix.values if matrix else IDENTITY)
        worlds.append(times(local, worlds[parent]) if parent >= 0 else local)
    return worlds


def faces(values):
    """Lists of corners, each with its count before it; returns them and the rest."""
    count, found, at = int(values[0]), [], 1
    for _ in range(count):
        corners = int(values[at])
        found.append([int(corner) for corner in values[at + 1 : at + 1 + corners]])
        at += 1 + corners
    assert at == len(values)
    return found


class Mesh:
    def __init__(self, node, frame):
        self.node, self.frame = node, frame
        count = int(node.values[0])
        self.points = [node.values[1 + 3 * at : 4 + 3 * at] for at in range(count)]
        self.faces = faces(node.values[1 + 3 * count :])
        self.bones = []
        for bone in node.all("SkinWeights"):
            weights = int(bone.values[1])
            indices = [int(index) for index in bone.values[2 : 2 + weights]]
            shares = bone.values[2 + weights : 2 + 2 * weights]
            self.bones.append((bone.values[0], list(zip(indices, shares)), bone.values[2 + 2 * weights :]))
            assert len(self.bones[-1][2]) == 16

    def influences(self):
        counts = [0] * len(self.points)
        for _, weights, _ in self.bones:
            for vertex, weight in weights:
                counts[vertex] += weight != 0
        return counts

    def structure(self, index):
        normals, uvs = self.node.one("MeshNormals"), self.node.one("MeshTextureCoords")
        corners = {}
        for face in self.faces:
            corners[str(len(face))] = corners.get(str(len(face)), 0) + 1
        materials = [
            {
                "name": material.name or None,
                "textures": [texture.values[0] for texture in material.all("TextureFilename")],
                "diffuse": material.values[:4],
            }
            for material in self.node.one("MeshMaterialList").all("Material")
        ]
        header = self.node.one("XSkinMeshHeader")
        counts = self.influences()
        return {
            "mesh": index,
            "name": self.node.name,
            "frame": self.frame,
            "verts": len(self.points),
            "faces": len(self.faces),
            "corners_per_face": corners,
            "normals": int(normals.values[0]) if normals else 0,
            "uvs": int(uvs.values[0]) if uvs else 0,
            "materials": materials,
            "skinned": any(counts),
            "bones": len(self.bones),
            "bone_names": [bone for bone, _, _ in self.bones],
            "skin_header": [int(value) for value in header.values] if header else None,
            "max_influences": max(counts),
            "verts_without_weights": counts.count(0),
        }

    def skinned(self, frames, worlds):
        by_name = {}
        for (node, _), world in zip(frames, worlds):
            by_name.setdefault(node.name, world)
        points = [[0.0, 0.0, 0.0] for _ in self.points]
        for bone, weights, offset in self.bones:
            matrix = times(offset, by_name[bone])
            for vertex, weight in weights:
                at = moved(self.points[vertex], matrix)
                points[vertex] = [points[vertex][axis] + weight * at[axis] for axis in range(3)]
        assert 0 not in self.influences()
        return points


def between(keys, tick):
    """Neighbouring keys of a time, and the share of the second."""
    if tick <= keys[0][0]:
        return keys[0][1], keys[0][1], 0.0
    for (before, a), (after, b) in zip(keys, keys[1:]):
        if tick <= after:
            return a, b, (tick - before) / (after - before)
    return keys[-1][1], keys[-1][1], 0.0


def mixed(a, b, share):
    return [x + (y - x) * share for x, y in zip(a, b)]


def slerp(a, b, share):
    cosine = sum(x * y for x, y in zip(a, b))
    if cosine < 0:
        b, cosine = [-part for part in b], -cosine
    if cosine > 0.9999999:
        return unit(mixed(a, b, share))
    angle = math.acos(cosine)
    one, other = math.sin((1 - share) * angle) / math.sin(angle), math.sin(share * angle) / math.sin(angle)
    return unit([one * x + other * y for x, y in zip(a, b)])


KINDS = {0: "rotation", 1: "scale", 2: "position"}


class Animation:
    def __init__(self, node):
        (self.target,) = node.references
        self.keys = {}
        for keys in node.all("AnimationKey"):
            kind, count, at = KINDS[int(keys.values[0])], int(keys.values[1]), 2
            rows = []
            for _ in range(count):
                size = int(keys.values[at + 1])
                rows.append((keys.values[at], keys.values[at + 2 : at + 2 + size]))
                at += 2 + size
            assert at == len(keys.values)
            if kind == "rotation":
                rows = [(tick, unit(value)) for tick, value in rows]
            self.keys[kind] = rows
        assert len(self.keys) == 3, self.target

    def local(self, tick):
        w, x, y, z = slerp(*between(self.keys["rotation"], tick))
        scale = mixed(*between(self.keys["scale"], tick))
        position = mixed(*between(self.keys["position"], tick))
        rows = [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
        matrix = [[part * factor for part in row] + [0.0] for row, factor in zip(rows, scale)]
        return [part for row in matrix for part in row] + position + [1.0]


def x_pose(frames, meshes, worlds, most):
    step = -(-len(frames) // most)
    return {
        "frames": [[at] + worlds[at] for at in range(0, len(frames), step)],
        "meshes": [
            {"mesh": index, "bbox": box(points), "verts": samples(points)}
            for index, points in enumerate(mesh.skinned(frames, worlds) for mesh in meshes)
        ],
    }


def x_file(name):
    root = read_x(name)
    frames = frames_of(root)
    meshes = [Mesh(mesh, at) for at, (node, _) in enumerate(frames) for mesh in node.all("Mesh")]
    assert not root.all("Mesh")
    rest = worlds_of(frames, {})
    sets = []
    for node in root.all("AnimationSet"):
        animations = [Animation(child) for child in node.all("Animation")]
        ticks = sorted({tick for animation in animations for keys in animation.keys.values() for tick, _ in keys})
        last = ticks[-1]
        # Two keys, and two times between keys.
        quarter, late = len(ticks) // 4, 3 * len(ticks) // 4
        chosen = [ticks[0], ticks[len(ticks) // 2], last]
        if len(ticks) > 4:
            chosen[1:1] = [0.5 * (ticks[quarter] + ticks[quarter + 1])]
            chosen[3:3] = [0.75 * ticks[late - 1] + 0.25 * ticks[late]]
        poses = []
        for tick in chosen:
            worlds = worlds_of(frames, {animation.target: animation.local(tick) for animation in animations})
            poses.append({"tick": tick, **x_pose(frames, meshes, worlds, 12)})
        lists = [(kind, keys) for animation in animations for kind, keys in animation.keys.items()]
        sets.append(
            {
                "name": node.name,
                "animations": len(animations),
                "key_lists": {kind: sum(one == kind for one, _ in lists) for kind in KINDS.values()},
                "keys": {kind: sum(len(keys) for one, keys in lists if one == kind) for kind in KINDS.values()},
                "period_ticks": last,
                "poses": poses,
            }
        )
    ticks = root.one("AnimTicksPerSecond")
    bones = []
    for mesh in meshes:
        bones += [bone for bone, _, _ in mesh.bones if bone not in bones]
    return {
        "kind": "x",
        "file": name,
        "frame_count": len(frames),
        "root_frames": sum(parent < 0 for _, parent in frames),
        "mesh_count": len(meshes),
        "vertex_count": sum(len(mesh.points) for mesh in meshes),
        "face_count": sum(len(mesh.faces) for mesh in meshes),
        "ticks_per_second": int(ticks.values[0]) if ticks else None,
        "skin_bone_count": len(bones),
        "meshes": [mesh.structure(index) for index, mesh in enumerate(meshes)],
        "scale": max(largest(mesh.skinned(frames, rest)) for mesh in meshes),
        "rest": x_pose(frames, meshes, rest, 40),
        "sets": sets,
    }


# Output


def rounded(value):
    """Nine significant digits; remains of subtraction become 0."""
    if isinstance(value, dict):
        return {key: rounded(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [rounded(part) for part in value]
    if isinstance(value, float):
        value = 0.0 if abs(value) < 1e-13 else float(f"{value:.9g}")
        return int(value) if value == int(value) else value
    return value


def text_of(value, indent=""):
    """JSON with a list of plain values in one line."""
    inner = indent + " "
    if isinstance(value, dict):
        parts = [f"{inner}{json.dumps(key)}: {text_of(part, inner)}" for key, part in value.items()]
        return "{\n" + ",\n".join(parts) + f"\n{indent}}}"
    if isinstance(value, list) and any(isinstance(part, (dict, list)) for part in value):
        return "[\n" + ",\n".join(inner + text_of(part, inner) for part in value) + f"\n{indent}]"
    return json.dumps(value)


def difference(kept, made, place):
    """The first place where two results differ by more than a unit of the last digit."""
    if isinstance(made, dict) and isinstance(kept, dict) and kept.keys() == made.keys():
        found = (difference(kept[key], made[key], f"{place}.{key}") for key in made)
    elif isinstance(made, list) and isinstance(kept, list) and len(kept) == len(made):
        found = (difference(a, b, f"{place}[{at}]") for at, (a, b) in enumerate(zip(kept, made)))
    elif isinstance(made, (int, float)) and isinstance(kept, (int, float)):
        return None if abs(kept - made) <= 1e-8 * max(1.0, abs(made)) else f"{place}: {kept} became {made}"
    else:
        return None if kept == made else f"{place}: {kept} became {made}"
    return next((fault for fault in found if fault), None)


def main():
    made = [md5_mesh(name) for name in MESHES]
    made += [md5_clip(name, mesh) for name, mesh in CLIPS]
    made += [x_file(name) for name in X_FILES]
    faults = []
    for result in made:
        result = rounded(result)
        path = os.path.join(HERE, os.path.basename(result["file"]) + ".json")
        if "--check" in sys.argv[1:]:
            with open(path, encoding="utf-8") as file:
                faults.append(difference(json.load(file), result, os.path.basename(path)))
        else:
            with open(path, "w", encoding="utf-8", newline="\n") as file:
                file.write(text_of(result) + "\n")
    faults = [fault for fault in faults if fault]
    print("\n".join(faults) if faults else f"{len(made)} samples")
    sys.exit(bool(faults))


main()
