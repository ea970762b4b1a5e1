"""Runner of the suite for assimp, through the XML of `assimp dump`: prints results for `bindpose conformance`."""
import json, math, os, shutil, subprocess, sys
import xml.etree.ElementTree as xml

# Undo assimp's conversions: it turns MD5 by a quarter, and mirrors z of .x.
MD5 = [[1, 0, 0, 0], [0, 0, -1, 0], [0, 1, 0, 0], [0, 0, 0, 1]]
X = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, -1, 0], [0, 0, 0, 1]]
SAME = [[float(i == j) for j in range(4)] for i in range(4)]

def numbers(element): return [float(word) for word in element.text.split()]
def matrix(element): return [numbers(element.find("Matrix4"))[i:i + 4] for i in (0, 4, 8, 12)]
def mul(a, b): return [[sum(a[i][k] * b[k][j] for k in range(4)) for j in range(4)] for i in range(4)]
def put(m, p): return [sum(row[k] * (*p, 1)[k] for k in range(4)) for row in m[:3]]
def lerp(a, b, t): return [x + (y - x) * t for x, y in zip(a, b)]

def slerp(a, b, t):
    dot = sum(x * y for x, y in zip(a, b))
    if dot < 0: b, dot = [-y for y in b], -dot
    if dot > 1 - 1e-9: return lerp(a, b, t)
    angle = math.acos(dot)
    return [(x * math.sin((1 - t) * angle) + y * math.sin(t * angle)) / math.sin(angle) for x, y in zip(a, b)]

def key(channel, kind, time, mix):
    keys = [(float(one.get("time")), numbers(one)) for one in channel.iter(kind)]
    after = next((i for i, (at, _) in enumerate(keys) if at > time), len(keys))
    if after in (0, len(keys)): return keys[min(after, len(keys) - 1)][1]
    (start, a), (end, b) = keys[after - 1], keys[after]
    return mix(a, b, (time - start) / (end - start))

def moved(channel, time):
    x, y, z, w = key(channel, "RotationKey", time, slerp)
    position, scale = key(channel, "PositionKey", time, lerp), key(channel, "ScalingKey", time, lerp)
    rows = [[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]]
    return [[n * s for n, s in zip(row, scale)] + [p] for row, p in zip(rows, position)] + [[0, 0, 0, 1]]

def far(matrix):
    return sum(abs(a - b) for row, same in zip(matrix, SAME) for a, b in zip(row, same))

def triangles(mesh, here, world, axes):
    flat = numbers(mesh.find("Positions"))
    points = [flat[i:i + 3] for i in range(0, len(flat), 3)]
    posed = [put(here, point) for point in points]
    bones = mesh.findall("BoneList/Bone")
    if bones: posed = [[0, 0, 0] for _ in points]
    for bone in bones:
        # Of joints with one name, the bone's is the one that its offset takes back to the mesh.
        offset = matrix(bone)
        palette = mul(min(world[bone.get("name")], key=lambda joint: far(mul(joint[0], offset)))[1], offset)
        for weight in bone.iter("Weight"):
            at = int(weight.get("index"))
            posed[at] = [a + float(weight.text) * b for a, b in zip(posed[at], put(palette, points[at]))]
    for face in mesh.iter("Face"):
        corners = [put(axes, posed[int(word)]) for word in reversed(face.text.split())]
        yield from ([corners[0], corners[i], corners[i + 1]] for i in range(1, len(corners) - 1))

def pose(scene, asked, axes):
    clips, time = [clip for clip in scene.iter("Animation") if asked.get("clip") in (None, clip.get("name"))], asked.get("time")
    channels = {} if time is None else {c.get("node"): moved(c, time * (float(clips[0].get("tick_cnt")) or 1)) for c in clips[0].iter("NodeAnim")}
    world, drawn, meshes = {}, [], scene.findall("MeshList/Mesh")
    def walk(node, rest, parent):
        rest, here = mul(rest, matrix(node)), mul(parent, channels.get(node.get("name")) or matrix(node))
        world.setdefault(node.get("name"), []).append((rest, here))
        refs = node.find("MeshRefs")
        drawn.extend((int(word), here) for word in (refs.text.split() if refs is not None else []))
        for child in node.findall("NodeList/Node"): walk(child, rest, here)
    walk(scene.find("Node"), SAME, SAME)
    back = X if axes is X else SAME
    flat = lambda m: [m[row][column] for column in range(4) for row in range(4)]
    return {"joints": {name: flat(mul(mul(axes, joints[0][1]), back)) for name, joints in world.items()},
            "triangles": [corners for number, here in drawn for corners in triangles(meshes[number], here, world, axes)]}

def parents(node, parent=None):
    yield node.get("name"), parent
    for child in node.findall("NodeList/Node"): yield from parents(child, node.get("name"))

def result(folder, rule):
    path = os.path.join(folder, rule["file"])
    if path.endswith("anim"):  # assimp takes the clip of the mesh's name
        shutil.copy(path, folder + "/pair.md5anim")
        path = shutil.copy(os.path.join(folder, rule["with"]), folder + "/pair.md5mesh")
    run = subprocess.run(["assimp", "dump", path, folder + "/out.assxml"], capture_output=True, timeout=10)
    if run.returncode < 0: return {"loads": False, "crashes": True}
    if run.returncode: return {"loads": False, "error": run.stdout.decode("latin-1").split("ERROR: ")[-1].split("\n")[0]}
    scene = xml.fromstring(open(folder + "/out.assxml", encoding="latin-1").read().split("?>", 1)[1]).find("Scene")
    clips = {clip.get("name"): float(clip.get("duration")) / (float(clip.get("tick_cnt")) or 1) for clip in scene.iter("Animation")}
    poses = (rule.get("expect") or {"poses": []})["poses"]
    axes = X if path.endswith(".x") else MD5
    found = {"loads": True, "joints": dict(parents(scene.find("Node"))), "clips": clips, "poses": []}
    if not clips and any("time" in asked for asked in poses): return {"loads": False, "error": "no clip"}
    try: return {**found, "poses": [pose(scene, asked, axes) for asked in poses]}
    except (IndexError, KeyError): return found  # corners and bones that do not exist

folder = sys.argv[1]
rules = [rule for rule in json.load(open(folder + "/rules.json"))["rules"] if not rule["file"].endswith("camera")]
version = subprocess.run(["assimp", "version"], capture_output=True, text=True).stdout.split("Version ")[-1].split()[0]
print(json.dumps({"loader": "assimp " + version, "files": {rule["file"]: result(folder, rule) for rule in rules}}).replace("Infinity", "1e30").replace("NaN", "1e30"))
