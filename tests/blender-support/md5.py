# SPDX-License-Identifier: GPL-3.0-or-later
"""An independent evaluator of MD5: positions of all vertices at each frame, in float64."""

import re

import numpy as np

TOKEN = re.compile(r'"[^"]*"|[^\s()]+')


class Words:
    """Returns the words of a file, without comments and parentheses."""

    def __init__(self, path):
        with open(path, encoding="latin-1") as file:
            text = re.sub(r'("[^"]*")|//[^\n]*', lambda match: match[1] or " ", file.read())
        self.words = TOKEN.findall(text)
        self.position = 0

    def word(self):
        self.position += 1
        return self.words[self.position - 1].strip('"')

    def numbers(self, count):
        self.position += count
        return [float(word) for word in self.words[self.position - count : self.position]]

    def find(self, word):
        self.position = self.words.index(word, self.position) + 1

    def is_next(self, word):
        return self.position < len(self.words) and self.words[self.position] == word


def with_w(xyz):
    """Returns quaternions x y z w for the file's three numbers."""
    xyz = np.asarray(xyz)
    w = -np.sqrt(np.clip(1 - (xyz**2).sum(-1), 0, None))
    q = np.concatenate([xyz, w[..., None]], -1)
    return q / np.linalg.norm(q, axis=-1, keepdims=True)


def rotate(q, v):
    u, w = q[..., :3], q[..., 3:]
    t = 2 * np.cross(u, v)
    return v + w * t + np.cross(u, t)


def multiply(a, b):
    u, v = a[..., :3], b[..., :3]
    w = a[..., 3:] * b[..., 3:] - (u * v).sum(-1, keepdims=True)
    return np.concatenate([a[..., 3:] * v + b[..., 3:] * u + np.cross(u, v), w], -1)


class Mesh:
    """A .md5mesh: `names`, `parents`, `shaders`, and vertices of all meshes one after the other."""

    def __init__(self, path):
        words = Words(path)
        words.find("numJoints")
        joints = int(words.word())
        words.find("{")
        self.names, self.parents, positions, rotations = [], [], [], []
        for _ in range(joints):
            self.names.append(words.word())
            self.parents.append(int(words.word()))
            positions.append(words.numbers(3))
            rotations.append(words.numbers(3))
        self.bind = np.array(positions), with_w(rotations)
        self.shaders, self.counts = [], []
        self.joints, self.biases, self.offsets, self.vertices = [], [], [], []
        while "mesh" in words.words[words.position :]:
            words.find("mesh")
            self._read_mesh(words)
        for name in ("joints", "biases", "offsets", "vertices"):
            setattr(self, name, np.array(getattr(self, name)))

    def _read_mesh(self, words):
        words.find("shader")
        self.shaders.append(words.word())
        words.find("numverts")
        count, ranges = int(words.word()), []
        self.counts.append(count)
        for _ in range(count):
            words.find("vert")
            ranges.append([int(n) for n in words.numbers(5)[3:]])
        words.find("numweights")
        weights = []
        for _ in range(int(words.word())):
            words.find("weight")
            weights.append(words.numbers(6)[1:])
        first_vertex = sum(self.counts[:-1])
        for vertex, (first, number) in enumerate(ranges):
            for joint, bias, *offset in weights[first : first + number]:
                self.joints.append(int(joint))
                self.biases.append(bias)
                self.offsets.append(offset)
                self.vertices.append(first_vertex + vertex)

    def skin(self, positions, rotations):
        """Returns the positions of all vertices, for joints in model space."""
        placed = positions[self.joints] + rotate(rotations[self.joints], self.offsets)
        out = np.zeros((sum(self.counts), 3))
        np.add.at(out, self.vertices, placed * self.biases[:, None])
        return out


class Clip:
    """A .md5anim: `rate`, and local positions and rotations of each frame."""

    def __init__(self, path):
        words = Words(path)
        words.find("numFrames")
        self.count = int(words.word())
        words.find("frameRate")
        self.rate = float(words.word())
        words.find("numAnimatedComponents")
        components = int(words.word())
        words.find("hierarchy")
        words.word()
        self.names, self.parents, flags, starts = [], [], [], []
        while not words.is_next("}"):
            self.names.append(words.word())
            self.parents.append(int(words.word()))
            flags.append(int(words.word()))
            starts.append(int(words.word()))
        words.find("baseframe")
        words.word()
        base = np.array(words.numbers(6 * len(self.names))).reshape(-1, 6)
        self.frames = []
        for _ in range(self.count):
            words.find("frame")
            words.word()
            words.find("{")
            values = words.numbers(components)
            frame = base.copy()
            for joint, (flag, start) in enumerate(zip(flags, starts)):
                for bit in range(6):
                    if flag >> bit & 1:
                        frame[joint, bit] = values[start]
                        start += 1
            self.frames.append((frame[:, :3], with_w(frame[:, 3:])))

    def joints(self, frame):
        """Returns the joints in model space."""
        positions, rotations = (part.copy() for part in self.frames[frame])
        for joint, parent in enumerate(self.parents):
            if parent >= 0:
                positions[joint] = positions[parent] + rotate(rotations[parent], positions[joint])
                rotations[joint] = multiply(rotations[parent], rotations[joint])
        return positions, rotations


def frames(mesh, clip):
    """Returns the positions of all vertices at each frame: an array (frames, vertices, 3)."""
    return np.stack([mesh.skin(*clip.joints(frame)) for frame in range(clip.count)])
