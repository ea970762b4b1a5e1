#!/usr/bin/env python3
"""Numbers of the model in figure.rs, computed from its description alone, and the content of figure-5.snapshot, read as docs/snapshot.md
describes the format. Shares no code with the project. Needs `pip install xxhash`; prints the numbers of take.rs.

    tests/snapshot/figure.py     fails if the file differs from the computed numbers
"""

import math
import os
import struct
import zlib

import xxhash

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "figure-5.snapshot")
FRAME = 7
X, Y, Z, STILL = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), [0.0, 0.0, 0.0, 1.0]
PARENTS = [None, 0, 1, 2, 0]


# The figure. Quaternions are [x, y, z, w], vectors are triples.
def turn(axis, tangent):
    parts = [part * tangent for part in axis] + [1.0]
    scale = 1.0 / math.sqrt(sum(part * part for part in parts))
    return [part * scale for part in parts]


REST = [((0, 0, 1), STILL), ((0, 0, 0.5), turn(X, 0.125)), ((0.25, 0, 0.5), turn(Z, 0.5)), ((0.75, 0, 0), STILL),
        ((-0.25, 0, 0), turn(Y, -0.25))]


def wave(frame):
    return [((0.0625 * frame, 0.0, 1.0), STILL), ((0.0, 0.0, 0.5), turn(X, 0.01 * frame)),
            ((0.25, 0.0, 0.5), turn(Z, 0.05 * frame * (11.0 - frame))), ((0.75, 0.0, 0.0), STILL),
            ((-0.25, 0.0, 0.0), turn(Y, 0.3 - 0.05 * frame))]


def product(a, b):
    (ax, ay, az, aw), (bx, by, bz, bw) = a, b
    return [aw * bx + ax * bw + ay * bz - az * by, aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw, aw * bw - ax * bx - ay * by - az * bz]


def conjugate(q):
    return [-q[0], -q[1], -q[2], q[3]]


def turned(q, v):
    return product(product(q, [*v, 0.0]), conjugate(q))[:3]


def moved(joint, v):
    return [a + b for a, b in zip(joint[0], turned(joint[1], v))]


def model_space(pose):
    joints = []
    for (position, rotation), parent in zip(pose, PARENTS):
        above = ((0.0, 0.0, 0.0), STILL) if parent is None else joints[parent]
        joints.append((moved(above, position), product(above[1], rotation)))
    return joints


def single(v):
    return [struct.unpack("f", struct.pack("f", part))[0] for part in v]


def mesh(joints):
    """Vertices, each a list of joint, weight and offset."""
    bind = model_space(REST)
    vertices = []
    for number in range(2 * len(joints)):
        slot = number // 2
        at = moved(bind[joints[slot]], (0.125, 0.25 if number % 2 == 0 else -0.25, 0.0))
        influences = []
        for joint, weight in ((joints[slot], 0.75), (joints[(slot + 1) % len(joints)], 0.25)):
            position, rotation = bind[joint]
            offset = turned(conjugate(rotation), [a - b for a, b in zip(at, position)])
            influences.append((joint, weight, single(offset)))
        vertices.append(influences)
    return vertices


def skinned(pose):
    joints = model_space(pose)
    place = lambda influences: [sum(part) for part in zip(
        *([weight * part for part in moved(joints[joint], offset)] for joint, weight, offset in influences))]
    return [place(influences) for influences in mesh([0, 1, 2]) + mesh([3, 4])]


def signs(number):
    """Four bits of splitmix64."""
    mask = (1 << 64) - 1
    mixed = (number + 1) * 0x9E3779B97F4A7C15 & mask
    mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9 & mask
    mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB & mask
    mixed ^= mixed >> 31
    return [1.0 if mixed >> bit & 1 else -1.0 for bit in range(4)]


def digest(form, values):
    return xxhash.xxh3_64_intdigest(struct.pack(f"<{len(values)}{form}", *values))


def local_digest(pose):
    """Digest of a sample's local transforms; all w of this figure are positive."""
    joints = [[*position, *rotation, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0] for position, rotation in pose]
    return digest("Q", [digest("d", [part + 0.0 for part in joint]) for joint in joints]) & 0xFFFFFFFF


def computed(frame):
    joints, points = model_space(wave(frame)), skinned(wave(frame))
    total = lambda sign, vectors: [sum(signs(number)[sign] * v[axis] for number, v in enumerate(vectors)) for axis in range(3)]
    axes = [total(1 + axis, [turned(joint[1], (X, Y, Z)[axis]) for joint in joints]) for axis in range(3)]
    return {
        "joint sums": total(0, [joint[0] for joint in joints]) + [sum(parts) for parts in zip(*axes)],
        "bounds": [min(parts) for parts in zip(*points)] + [max(parts) for parts in zip(*points)],
        "position sums": total(0, points) + total(1, points),
    }


# The file.
class Postcard:
    def __init__(self, data):
        self.data, self.at = data, 0

    def byte(self):
        self.at += 1
        return self.data[self.at - 1]

    def integer(self):
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def signed(self):
        value = self.integer()
        return (value >> 1) ^ -(value & 1)

    def number(self):
        self.at += 8
        return struct.unpack("<d", self.data[self.at - 8 : self.at])[0]

    def text(self):
        length = self.integer()
        self.at += length
        return self.data[self.at - length : self.at].decode()

    def option(self, read):
        return read() if self.byte() else None

    def list(self, read):
        return [read() for _ in range(self.integer())]

    def fields(self, *reads):
        return [read() for read in reads]


def read(data):
    assert data.startswith(b"bindpose snapshot 5\n")
    assert struct.unpack("<Q", data[-8:])[0] == xxhash.xxh3_64_intdigest(data[:-8])
    content = zlib.decompressobj(-15).decompress(data[28:-8])
    assert struct.unpack("<Q", data[20:28])[0] == len(content)
    file = Postcard(content)
    text, integer, number, fields = file.text, file.integer, file.number, file.fields
    elements = lambda: fields(integer, integer, integer)
    digests = lambda: [file.list(integer) for _ in range(4)] + [file.list(text)]
    fields(text, text)
    file.list(lambda: fields(text, integer, text, lambda: file.option(text)))
    size = number()
    joints = file.list(lambda: fields(text, lambda: file.option(integer)))
    file.list(lambda: fields(text, lambda: file.option(text), integer))
    file.list(lambda: fields(text, integer, integer, integer, *[elements] * 4, integer, integer, integer))
    digests()
    file.list(lambda: fields(text, lambda: file.option(number), number, file.byte, lambda: file.list(file.signed),
                             lambda: file.list(file.signed), digests))
    file.option(number)
    columns = file.list(lambda: file.list(file.signed))
    assert file.at == len(content)
    return size, len(joints), columns


def rows(numbers, width):
    count = len(numbers) // width
    table = [[0] * width for _ in range(count)]
    for column in range(width):
        above = 0
        for row in range(count):
            above += numbers[column * count + row]
            table[row][column] = above
    return {row[0]: row for row in table}


def main():
    with open(FILE, "rb") as file:
        size, joints, columns = read(file.read())
    width = 13 + 13 * joints + 15
    samples = rows(columns[1], width)
    local = [local_digest(wave(frame)) for frame in range(12)]
    assert local == [samples[2 * frame][2] for frame in range(12)]
    row, step, unit = samples[2 * FRAME], 2.0 ** (math.floor(math.log2(size)) - 31), 2.0**-31
    first = 13 + 13 * joints
    stored = {
        "joint sums": [part * step for part in row[7:10]] + [part * unit for part in row[10:13]],
        "bounds": [part * step for part in row[first : first + 6]],
        "position sums": [part * step for part in row[first + 6 : first + 12]],
    }
    print("digests:", local)
    for name, numbers in computed(FRAME).items():
        assert all(abs(a - b) < 2e-9 for a, b in zip(numbers, stored[name])), (name, numbers, stored[name])
        print(f"{name}:", [round(part, 8) for part in numbers])


main()
