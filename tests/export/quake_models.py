"""Reads and writes .mdl and .md3 files by their descriptions, without code of bindpose.

quake_models.py write mdl|md3   writes a square in two frames
quake_models.py read FILE       prints a file as JSON
"""

import json
import struct
import sys

SQUARE = [(-127.5, 0, 0), (-127.5, 0, 1), (127.5, 0, 1), (127.5, 0, 0)]
HEIGHTS = [("stand1", 63.75), ("stand2", 31.9375)]
UVS = [(0, 1), (0, 0), (1, 0), (1, 1)]
TRIANGLES = [(0, 1, 2), (0, 2, 3)]
# Quake's number of the normal -y, and Quake III's two angles of it.
NORMAL, ANGLES = 104, (64, 191)


def text(name, length):
    return name.encode().ljust(length, b"\0")


def mdl():
    size = (4, 4)
    out = struct.pack("<4si3f3ff3f", b"IDPO", 6, 1, 1, 0.25, -127.5, 0, 0, (127.5**2 + 63.75**2) ** 0.5, 0, 0, 0)
    out += struct.pack("<8if", 1, *size, 4, 2, 2, 0, 0, 255 * 63.75 / 2)
    out += struct.pack("<i", 0) + bytes([15] * 16)
    for u, v in UVS:
        out += struct.pack("<3i", 0, min(int(u * 4), 3), min(int(v * 4), 3))
    for corners in TRIANGLES:
        out += struct.pack("<4i", 1, *corners)
    for name, height in HEIGHTS:
        at = [(round((x + 127.5) / 1), 0, round(z * height / 0.25)) for x, _, z in SQUARE]
        top = max(z for _, _, z in at)
        out += struct.pack("<i4B4B", 0, 0, 0, 0, 0, 255, 0, top, 0) + text(name, 16)
        out += b"".join(bytes([*point, NORMAL]) for point in at)
    return out


def md3():
    frames = b""
    for name, height in HEIGHTS:
        radius = (127.5**2 + height**2) ** 0.5
        frames += struct.pack("<10f", -127.5, 0, 0, 127.5, 0, height, 0, 0, 0, radius) + text(name, 16)
    surface = struct.pack("<4s64s10i", b"IDP3", text("quad", 64), 0, 2, 1, 4, 2, 176, 108, 200, 232, 296)
    surface += struct.pack("<64si", text("progs/quad", 64), 0)
    surface += b"".join(struct.pack("<3i", *corners) for corners in TRIANGLES)
    surface += b"".join(struct.pack("<2f", *uv) for uv in UVS)
    for _, height in HEIGHTS:
        for x, y, z in SQUARE:
            surface += struct.pack("<3h2B", round(x * 64), 0, round(z * height * 64), *ANGLES)
    head = struct.pack("<4si64s9i", b"IDP3", 15, text("progs/quad.md3", 64), 0, 2, 0, 1, 0, 108, 220, 220, 220 + len(surface))
    return head + frames + surface


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, form):
        found = struct.unpack_from("<" + form, self.data, self.at)
        self.at += struct.calcsize("<" + form)
        return found

    def name(self, length):
        return self.take(f"{length}s")[0].split(b"\0")[0].decode()


def read_mdl(file):
    file.at = 8
    scale, origin = file.take("3f"), file.take("3f")
    file.at = 48
    skins, width, height, vertices, triangles, frames, _, flags = file.take("8i")
    file.at = 84
    images = []
    for _ in range(skins):
        assert file.take("i") == (0,), "a group of skins"
        images.append(list(file.take(f"{width * height}B")))
    coordinates = [file.take("3i") for _ in range(vertices)]
    uvs = [((s + 0.5) / width, (t + 0.5) / height) for _, s, t in coordinates]
    triangles = [file.take("4i")[1:] for _ in range(triangles)]
    made, groups, corners = [], [], {}
    for _ in range(frames):
        poses = 1
        if file.take("i")[0]:
            (poses,) = file.take("i")
            whole = file.take("4B"), file.take("4B")
            groups.append(list(file.take(f"{poses}f")))
        for _ in range(poses):
            low, high, name = file.take("4B"), file.take("4B"), file.name(16)
            packed = [file.take("4B") for _ in range(vertices)]
            for axis in range(3):
                assert low[axis] == min(at[axis] for at in packed) and high[axis] == max(at[axis] for at in packed)
            at = [[byte * step + start for byte, step, start in zip(point, scale, origin)] for point in packed]
            made.append({"name": name, "positions": at})
            corners.setdefault(len(groups), []).extend([low, high])
        if poses > 1:
            for axis in range(3):
                ends = [corner[axis] for corner in corners[len(groups)]]
                assert (whole[0][axis], whole[1][axis]) == (min(ends), max(ends)), "box of a group"
    surface = {"name": "", "uvs": uvs, "triangles": triangles}
    return {"frames": made, "surfaces": [surface], "skins": images, "size": [width, height], "flags": flags, "groups": groups}


def read_md3(file):
    file.at = 72
    _, frames, tags, surfaces, _, frames_at, tags_at, surfaces_at, end = file.take("9i")
    assert end == len(file.data), "length"
    file.at = frames_at
    made = []
    for _ in range(frames):
        box, name = file.take("10f"), file.name(16)
        made.append({"name": name, "box": box[:6], "positions": [], "tags": []})
    file.at = tags_at
    for frame in made:
        frame["tags"] = [{"name": file.name(64), "origin": file.take("3f"), "axes": file.take("9f")} for _ in range(tags)]
    parts, start = [], surfaces_at
    for _ in range(surfaces):
        file.at = start + 4
        name = file.name(64)
        _, count, shaders, vertices, triangles, to_triangles, to_shaders, to_uvs, to_vertices, to_end = file.take("10i")
        assert count == frames and shaders == 1
        file.at = start + to_shaders
        shader = file.name(64)
        file.at = start + to_triangles
        corners = [file.take("3i") for _ in range(triangles)]
        file.at = start + to_uvs
        uvs = [file.take("2f") for _ in range(vertices)]
        file.at = start + to_vertices
        for frame in made:
            frame["positions"] += [[step / 64 for step in file.take("3h2B")[:3]] for _ in range(vertices)]
        parts.append({"name": name, "shader": shader, "uvs": uvs, "triangles": corners})
        start += to_end
    assert start == end, "end of the surfaces"
    return {"frames": made, "surfaces": parts}


if sys.argv[1] == "write":
    sys.stdout.buffer.write({"mdl": mdl, "md3": md3}[sys.argv[2]]())
else:
    with open(sys.argv[2], "rb") as opened:
        reader = Reader(opened.read())
    json.dump(read_mdl(reader) if reader.data[:4] == b"IDPO" else read_md3(reader), sys.stdout)
