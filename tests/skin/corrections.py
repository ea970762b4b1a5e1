#!/usr/bin/env python3
"""Vertices corrected by examples, computed again in floats of 64 bits.

    corrections.py PROGRAM MODELS FOLDER

Reads MODELS/mannequin_light.md5mesh and MODELS/cylinder.md5mesh with their examples, and writes a cylinder with six
examples of its bend to FOLDER. Prints for each model, method and pose the largest distance from `dump --method`, as a
share of the model's size, and the number of principal components of the most bent joint. No packages are needed.
"""
import json
import math
import re
import shutil
import subprocess
import sys
from pathlib import Path

program, models, folder = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])


def multiply(a, b):
    (ax, ay, az, aw), (bx, by, bz, bw) = a, b
    return (aw * bx + ax * bw + ay * bz - az * by, aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw, aw * bw - ax * bx - ay * by - az * bz)


def conjugate(q):
    return (-q[0], -q[1], -q[2], q[3])


def unit(v):
    length = math.sqrt(sum(x * x for x in v))
    return tuple(x / length for x in v) if length > 1e-12 else None


def matrix(q):
    x, y, z, w = q
    return [[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]]


def apply(m, v):
    return tuple(sum(m[r][c] * v[c] for c in range(3)) for r in range(3))


def add(a, b, share=1.0):
    return tuple(x + share * y for x, y in zip(a, b))


def solve(rows, right):
    """Gauss and Jordan with pivots."""
    rows = [list(row) + [value] for row, value in zip(rows, right)]
    for c in range(len(rows)):
        pivot = max(range(c, len(rows)), key=lambda r: abs(rows[r][c]))
        rows[c], rows[pivot] = rows[pivot], rows[c]
        rows[c] = [x / rows[c][c] for x in rows[c]]
        for r in range(len(rows)):
            if r != c:
                rows[r] = [x - rows[r][c] * y for x, y in zip(rows[r], rows[c])]
    return [row[-1] for row in rows]


class Mesh:
    def __init__(self, path):
        text = path.read_text()
        number = r"\s*(-?[\d.e-]+)"
        self.joints = []
        for name, parent, *numbers in re.findall(r'"(\w+)"\s+(-?\d+)\s+\(' + 3 * number + r"\s*\)\s+\(" + 3 * number, text):
            *place, x, y, z = map(float, numbers)
            # MD5 stores three components; the fourth is negative or zero.
            turn = (x, y, z, -math.sqrt(max(0.0, 1 - x * x - y * y - z * z)))
            self.joints.append((name, int(parent), unit(turn), tuple(place)))
        self.names = [joint[0] for joint in self.joints]
        weights = [(int(joint), float(share), (float(x), float(y), float(z))) for joint, share, x, y, z in
                   re.findall(r"weight \d+ (\d+)" + number + r"\s+\(" + 3 * number, text)]
        vertices = re.findall(r"vert \d+ \([^)]*\) (\d+) (\d+)", text)
        self.weights = [weights[int(start):int(start) + int(count)] for start, count in vertices]
        self.positions = []
        for own in self.weights:
            sum_ = (0.0, 0.0, 0.0)
            for joint, share, offset in own:
                _, _, turn, place = self.joints[joint]
                sum_ = add(sum_, add(place, apply(matrix(turn), offset)), share)
            self.positions.append(sum_)

    def palette(self, turns):
        """Rotation and translation of every joint, with some joints turned: own axes, or those of the parent."""
        turned, palette = [], []
        for number, (_, parent, bind, place) in enumerate(self.joints):
            own, of_parent = turns.get(number, ((0, 0, 0, 1), (0, 0, 0, 1)))
            if parent < 0:
                q, p = multiply(bind, own), place
            else:
                _, _, above, above_place = self.joints[parent]
                local = multiply(multiply(of_parent, multiply(conjugate(above), bind)), own)
                at = apply(matrix(conjugate(above)), add(place, above_place, -1))
                q = multiply(turned[parent][0], local)
                p = add(turned[parent][1], apply(matrix(turned[parent][0]), at))
            turned.append((q, p))
            rotation = multiply(q, conjugate(bind))
            palette.append((unit(rotation), add(p, apply(matrix(rotation), place), -1)))
        return palette

    def depth(self, joint):
        return 0 if joint < 0 else 1 + self.depth(self.joints[joint][1])

    def parents_signs(self, palette):
        """1 or -1 by which no joint's quaternion points away from that of the next joint above with vertices."""
        used, signs = {joint for own in self.weights for joint, _, _ in own}, {}
        for joint in sorted(used):
            above = self.joints[joint][1]
            while above >= 0 and above not in used:
                above = self.joints[above][1]
            dot = sum(a * b for a, b in zip(palette[joint][0], palette[above][0])) if above >= 0 else 1
            signs[joint] = signs.get(above, 1) * (-1 if dot < 0 else 1)
        return signs

    def maps(self, palette, base):
        maps, spherical = [], base.startswith("sjbbe")
        signs = self.parents_signs(palette) if base == "sjbbe-article" else None
        for own in self.weights:
            total = sum(share for _, share, _ in own)
            if spherical:
                order = sorted(own, key=lambda weight: -self.depth(weight[0]))
                lead, sum_ = palette[order[-1][0]][0], (0, 0, 0, 0)
                for joint, share, _ in order:
                    q = palette[joint][0]
                    sign = signs[joint] if signs else -1 if sum(a * b for a, b in zip(q, lead)) < 0 else 1
                    sum_ = add(sum_, q, sign * share / total)
                m = matrix(unit(sum_))
                at = self.joints[order[0][0]][3]
                q, moved = palette[order[0][0]]
                maps.append((m, add(add(moved, apply(matrix(q), at)), apply(m, at), -1)))
            else:
                m, moved = [[0.0] * 3 for _ in range(3)], (0.0, 0.0, 0.0)
                for joint, share, _ in own:
                    q, t = palette[joint]
                    part = matrix(q)
                    m = [[m[r][c] + share / total * part[r][c] for c in range(3)] for r in range(3)]
                    moved = add(moved, t, share / total)
                maps.append((m, moved))
        return maps


def angle(q):
    return 2 * math.atan2(math.sqrt(q[0] ** 2 + q[1] ** 2 + q[2] ** 2), abs(q[3]))


class Method:
    def __init__(self, name, mesh, examples):
        self.mesh, self.name = mesh, name
        self.joints = sorted({joint for joint, _, _, _ in examples})
        self.examples = sorted(examples, key=lambda example: example[0])
        self.components = {}
        parents = [joint[1] for joint in mesh.joints]
        used = {joint for own in mesh.weights for joint, _, _ in own}
        self.counted = [joint for joint in sorted(used) if parents[joint] >= 0]
        self.support = []
        for own in mesh.weights:
            pull = lambda joint: sum(share for of, share, _ in own if of == joint)
            inside = [joint for joint in self.joints
                      if pull(parents[joint]) > 0 and (parents[parents[joint]] < 0 or pull(parents[parents[joint]]) == 0)]
            self.support.append(max(inside, key=lambda joint: (pull(joint), -joint), default=None))
        self.offsets = {}
        for number, (joint, turn, _, shape) in enumerate(self.examples):
            maps = mesh.maps(mesh.palette({joint: ((0, 0, 0, 1), turn)}), name)
            for vertex, (m, moved) in enumerate(maps):
                if self.support[vertex] == joint:
                    back = solve(m, add(shape[vertex], moved, -1))
                    self.offsets[vertex, number] = add(back, mesh.positions[vertex], -1)
        if name == "eigenskin":
            self.compress()

    def compress(self):
        """Keeps as few principal components of the offsets as leave an error of a hundredth of the largest, at most 4."""
        for joint in self.joints:
            own = [number for number, example in enumerate(self.examples) if example[0] == joint]
            vertices = [vertex for vertex, of in enumerate(self.support) if of == joint]
            column = lambda number: [x for vertex in vertices for x in self.offsets[vertex, number]]
            columns = [column(number) for number in own]
            largest = max(math.dist(self.offsets[v, n], (0, 0, 0)) for v in vertices for n in own)
            rest, shown = [list(c) for c in columns], [[0.0] * len(c) for c in columns]
            for count in range(1, min(4, len(own)) + 1):
                # The next component is the direction of most of the rest: power iteration.
                v = [1.0 + 0.1 * k for k in range(len(own))]
                for _ in range(300):
                    u = [sum(v[e] * rest[e][k] for e in range(len(own))) for k in range(len(rest[0]))]
                    v = unit([sum(a * b for a, b in zip(u, c)) for c in rest]) or v
                u = [sum(v[e] * rest[e][k] for e in range(len(own))) for k in range(len(rest[0]))]
                for e in range(len(own)):
                    rest[e] = [a - v[e] * b for a, b in zip(rest[e], u)]
                    shown[e] = [a + v[e] * b for a, b in zip(shown[e], u)]
                error = max(math.dist(r[k:k + 3], (0, 0, 0)) for r in rest for k in range(0, len(r), 3))
                self.components[joint] = count
                if error <= 0.01 * largest:
                    break
            for e, number in enumerate(own):
                for k, vertex in enumerate(vertices):
                    self.offsets[vertex, number] = tuple(shown[e][3 * k:3 * k + 3])

    def direction(self, joint):
        joints = self.mesh.joints
        children = [add(other[3], joints[joint][3], -1) for other in joints if other[1] == joint]
        towards = unit(tuple(map(sum, zip(*children)))) if children else None
        return towards or unit(add(joints[joint][3], joints[joints[joint][1]][3], -1))

    def shares(self, joint, palette):
        joints = self.mesh.joints
        counted = self.counted if self.name == "psd" else [joint]
        chosen = [n for n, example in enumerate(self.examples) if self.name == "psd" or example[0] == joint]

        def pose(example):
            above = lambda j: joints[joints[j][1]][2]
            turn = lambda j: multiply(multiply(above(j), example[1]), conjugate(above(j)))
            return [turn(j) if example and example[0] == j else (0, 0, 0, 1) for j in counted]

        def distance(a, b):
            if self.name in ("sjbbe", "sjbbe-article", "sbe"):
                d = [apply(matrix(q[0]), self.direction(joint)) for q in (a, b)]
                return math.acos(max(-1.0, min(1.0, sum(x * y for x, y in zip(*d)))))
            return math.sqrt(sum(angle(multiply(conjugate(p), q)) ** 2 for p, q in zip(a, b)))

        sigma = next(example[2] for example in self.examples if example[0] == joint)
        phi = lambda r: math.exp(-r * r / (2 * sigma * sigma))
        known = [pose(None)] + [pose(self.examples[n]) for n in chosen]
        here = [multiply(conjugate(palette[joints[j][1]][0]), palette[j][0]) for j in counted]
        gram = [[phi(distance(a, b)) for b in known] for a in known]
        basis = [phi(distance(a, here)) for a in known]
        return {n: sum(x * y for x, y in zip(solve(gram, [float(k == i + 1) for k in range(len(known))]), basis))
                for i, n in enumerate(chosen) if self.examples[n][0] == joint}

    def skin(self, turns):
        palette = self.mesh.palette(turns)
        shares = {joint: self.shares(joint, palette) for joint in self.joints}
        out = []
        for vertex, (m, moved) in enumerate(self.mesh.maps(palette, self.name)):
            position = self.mesh.positions[vertex]
            for number, share in shares.get(self.support[vertex], {}).items():
                position = add(position, self.offsets[vertex, number], share)
            out.append(add(moved, apply(m, position)))
        return out


class MultiWeights:
    """Weights of all elements, by the normal equations of all unknowns with the bind pose as a constraint."""

    def __init__(self, mesh, examples):
        self.mesh, self.components = mesh, {}
        poses = [(mesh.palette({joint: ((0, 0, 0, 1), turn)}), shape) for joint, turn, _, shape in examples]
        self.weights = []
        for vertex, own in enumerate(mesh.weights):
            total = sum(share for _, share, _ in own)
            own = sorted(own, key=lambda weight: -weight[1])
            count, at = len(own), add(mesh.positions[vertex], mesh.joints[own[0][0]][3], -1)
            point, size = (*at, 1.0), sum(x * x for x in at)
            rows = []
            for r in range(3):
                # Changes of the diagonal's weights add up to 0: the last is minus the sum of the others.
                free = [(i, c) for i in range(count) for c in range(4) if c != r or i < count - 1]
                columns = [[float((i, c) == other) - float(c == r and other == (count - 1, r)) for other in
                            [(k, d) for k in range(count) for d in range(4)]] for i, c in free]
                equations = [[1e-4 * size * sum(a * b for a, b in zip(p, q)) for q in columns] for p in columns]
                right = [0.0] * len(free)
                for palette, shape in poses:
                    relative, back = self.relative(palette, own)
                    terms = [relative[i][r][c] * point[c] for i in range(count) for c in range(4)]
                    blended = sum(own[k // 4][1] / total * term for k, term in enumerate(terms))
                    left = back(shape[vertex])[r] - blended
                    short = [sum(a * b for a, b in zip(column, terms)) for column in columns]
                    for a in range(len(free)):
                        right[a] += short[a] * left
                        equations[a] = [x + short[a] * y for x, y in zip(equations[a], short)]
                # A vertex at its joint keeps its weights.
                change = solve(equations, right) if free and size > 1e-9 else [0.0] * len(free)
                changes = [sum(x * column[k] for x, column in zip(change, columns)) for k in range(4 * count)]
                rows.append([own[k // 4][1] / total + changes[k] for k in range(4 * count)])
            self.weights.append((own, rows))

    def relative(self, palette, own):
        """Matrices relative to the first joint's about its bind position, and the way there from model space."""
        pivot, (q, t) = self.mesh.joints[own[0][0]][3], palette[own[0][0]]
        home = add(t, apply(matrix(q), pivot))
        back = lambda place: apply(matrix(conjugate(q)), add(place, home, -1))
        found = []
        for joint, _, _ in own:
            turn, moved = palette[joint]
            m = matrix(multiply(conjugate(q), turn))
            shift = back(add(moved, apply(matrix(turn), pivot)))
            found.append([[*m[r], shift[r]] for r in range(3)])
        return found, back

    def skin(self, turns):
        palette, out = self.mesh.palette(turns), []
        for vertex, (own, rows) in enumerate(self.weights):
            pivot, (q, t) = self.mesh.joints[own[0][0]][3], palette[own[0][0]]
            relative, _ = self.relative(palette, own)
            point = (*add(self.mesh.positions[vertex], pivot, -1), 1.0)
            local = tuple(sum(rows[r][4 * i + c] * relative[i][r][c] * point[c] for i in range(len(own)) for c in range(4))
                          for r in range(3))
            out.append(add(t, apply(matrix(q), add(pivot, local))))
        return out


def examples_of(path, mesh):
    text = path.with_suffix(".examples.toml").read_text()
    entries = re.findall(r'joint = "(.*)"\nrotation = (.*)\nmesh = "(.*)"', text)
    shape = lambda name: Mesh(path.parent / name).positions
    return [(mesh.names.index(joint), unit(json.loads(turn)), 1.0, shape(name)) for joint, turn, name in entries]


def six_examples(path, mesh):
    """Writes six bends whose shapes are near a sum of two: a muscle that grows with the angle, and one with its square."""
    joint = mesh.names.index("upper")
    text, entries = path.read_text(), []
    for k in range(1, 7):
        half = math.radians(18 * k) / 2
        turn = (0.0, math.sin(half), 0.0, math.cos(half))
        maps = mesh.maps(mesh.palette({joint: ((0, 0, 0, 1), turn)}), "linear")
        _, _, root, place = mesh.joints[0]
        lines = []
        for number, (position, (m, moved)) in enumerate(zip(mesh.positions, maps)):
            bump = math.exp(-((position[2] - 16) / 5) ** 2) * (1 + position[0] / 8)
            other = math.exp(-((position[2] - 27) / 4) ** 2) * (1 - position[1] / 8)
            shift = (0.01 * k * k * other, 0.2 * k * bump + 0.03 * math.sin(k) * other, 0.02 * k * k * bump)
            shape = add(moved, apply(m, add(position, shift)))
            x, y, z = apply(matrix(conjugate(root)), add(shape, place, -1))
            lines.append(f"\tweight {number} 0 1 ( {x:.9f} {y:.9f} {z:.9f} )")
        vertex = iter(range(len(mesh.weights)))
        shaped = re.sub(r"(vert \d+ \([^)]*\)) \d+ \d+", lambda found: f"{found[1]} {next(vertex)} 1", text)
        head, tail = shaped.split("\tnumweights")
        (folder / f"bend{k}.md5mesh").write_text(f"{head}\tnumweights {len(lines)}\n" + "\n".join(lines) + "\n}\n")
        entries.append(f'[[example]]\njoint = "upper"\nrotation = {list(turn)}\nmesh = "bend{k}.md5mesh"\n')
    path.with_suffix(".examples.toml").write_text("\n".join(entries))


def check(path, methods, poses):
    mesh = Mesh(path)
    examples = examples_of(path, mesh)
    extent = math.dist(*[tuple(f(p[k] for p in mesh.positions) for k in range(3)) for f in (min, max)])
    for name in methods:
        method = MultiWeights(mesh, examples) if name == "mwe" else Method(name, mesh, examples)
        for pose in poses:
            turns, options = {}, []
            for joint, axis, degrees in pose:
                half = math.radians(degrees) / 2
                turn = tuple(math.sin(half) * (a == axis) for a in "xyz") + (math.cos(half),)
                turns[mesh.names.index(joint)] = (turn, (0, 0, 0, 1))
                options += ["--pose", f"{joint}={axis},{degrees}"]
            command = [program, "dump", path, "--method", name, "--json", *options]
            text = subprocess.run(command, capture_output=True, check=True).stdout
            shown = json.loads(text)["items"][0]["items"][0]["items"]
            expected = method.skin(turns)
            worst = max(math.dist(it["position"], expected[it["source_vertex"]]) for it in shown if it["record"] == "vertex")
            print(path.stem, name, "+".join(options[1::2]), f"{worst / extent:.1e}", max(method.components.values(), default=0))


linear = ["sbe", "psd", "eigenskin", "mwe"]
elbow = [("upperarm_l", "z", 40), ("forearm_l", "y", 70), ("thigh_r", "x", 30)]
# Quaternions of shoulder and arm point away from each other, and some vertices follow the chest too.
around = [("shoulder_l", "x", 200), ("upperarm_l", "x", 200)]
check(models / "mannequin_light.md5mesh", ["sjbbe", *linear], [elbow])
check(models / "mannequin_light.md5mesh", ["sjbbe-article"], [elbow, around])
check(models / "cylinder.md5mesh", ["sjbbe", *linear], [[("upper", "y", 100)]])
copy = folder / "cylinder.md5mesh"
shutil.copy(models / "cylinder.md5mesh", copy)
six_examples(copy, Mesh(copy))
check(copy, ["eigenskin"], [[("upper", "y", 81)]])
