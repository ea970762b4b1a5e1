# SPDX-License-Identifier: GPL-3.0-or-later
"""glTF between the program and Blender."""

import json
import struct

import bpy
import mathutils
import numpy as np

from . import names, program

HEADER = struct.Struct("<4sII")
CHUNK = struct.Struct("<II")
JSON = 0x4E4F534A
BUFFER = 0x004E4942
# Custom property of imported materials: the index of the file's material.
INDEX = "bindpose_material"
ADD_ON = "Blender's add-on glTF 2.0 format"


def read(path):
    """Returns the document of a .glb and its buffer."""
    with open(path, "rb") as file:
        data = file.read()
    length, _ = CHUNK.unpack_from(data, HEADER.size)
    start = HEADER.size + CHUNK.size
    return json.loads(data[start : start + length]), data[start + length + CHUNK.size :]


def separate_materials(document):
    """Gives each primitive its own material.

    Blender makes one slot of all primitives that share a material; meshes of the file would become one.
    """
    materials = document.get("materials", [])
    count = len(materials)
    used = set()
    for mesh in document.get("meshes", []):
        for primitive in mesh["primitives"]:
            index = primitive.get("material")
            if index in used and index is not None:
                primitive["material"] = len(materials)
                materials.append({**materials[index], "extras": {**materials[index].get("extras", {}), INDEX: index}})
            used.add(index)
    for index in range(count):
        materials[index].setdefault("extras", {})[INDEX] = index


def write(path, document, buffer):
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    chunks = CHUNK.pack(len(text), JSON) + text
    if buffer:
        chunks += CHUNK.pack(len(buffer), BUFFER) + buffer
    with open(path, "wb") as file:
        file.write(HEADER.pack(b"glTF", 2, HEADER.size + len(chunks)) + chunks)


# Largest difference of a matrix that is not rounding.
ROUNDING = 1e-5


def set_bind_pose(document, buffer):
    """Moves joints to the bind pose of their meshes. Returns the bytes to add to the buffer, none if nothing moves.

    Blender bends vertices by the motion of bones from their rest, and glTF by the motion from the bind pose. Where both
    differ, Blender would bend the vertices to the rest pose for good, which no pose can undo where several bones meet.
    Clips get keys for what they left at rest.
    """
    nodes, animations = document.get("nodes", []), document.get("animations", [])
    parents = {child: parent for parent, node in enumerate(nodes) for child in node.get("children", [])}
    rest, bind, unbound = {}, {}, set()

    def in_world(node, known):
        if node not in known:
            above = in_world(parents[node], known) if node in parents else np.eye(4)
            known[node] = above @ local_matrix(nodes[node])
        return known[node]

    for index, skin in enumerate(document.get("skins", [])):
        bound = bound_joints(document, buffer, index)
        inverses = array(document, buffer, skin["inverseBindMatrices"]).reshape(-1, 4, 4).transpose(0, 2, 1)
        for at, joint in enumerate(skin["joints"]):
            if at in bound:
                bind.setdefault(joint, np.linalg.inv(inverses[at].astype(float)))
            unbound.add(joint)
    unbound -= bind.keys()
    moves = any(not np.allclose(in_world(node, rest), matrix, rtol=0, atol=ROUNDING) for node, matrix in bind.items())
    # Bones have no scale at rest. Without a clip, nothing would show the rest pose.
    if not moves or not animations or not all(is_rigid(matrix) for matrix in bind.values()):
        return b""
    world = {**bind, **{node: rigid(in_world(node, rest)) for node in unbound}}
    joints = {node: in_world(parents[node], world) if node in parents else np.eye(4) for node in [*bind, *unbound]}
    keys = Keys(document, len(buffer))
    for node, above in joints.items():
        local = np.linalg.inv(above) @ world[node]
        turn = mathutils.Matrix(local[:3, :3]).to_quaternion()
        placed = {"translation": local[:3, 3].tolist(), "rotation": [turn.x, turn.y, turn.z, turn.w], "scale": [1, 1, 1]}
        held = {path: nodes[node].get(path, default) for path, default in DEFAULTS.items()}
        nodes[node].update(placed)
        left = [path for path in placed if not np.allclose(held[path], placed[path], rtol=0, atol=ROUNDING / 100)]
        for animation in animations:
            known = {channel["target"]["path"] for channel in animation["channels"] if channel["target"].get("node") == node}
            for path in left:
                if path not in known:
                    keys.hold(animation, node, path, held[path])
    document["buffers"][0]["byteLength"] = len(buffer) + len(keys.data)
    return keys.data


def bound_joints(document, buffer, skin):
    """Returns the joints of a skin, by their place in it, that move a vertex."""
    bound = set()
    for node in document["nodes"]:
        if node.get("skin") != skin or "mesh" not in node:
            continue
        for primitive in document["meshes"][node["mesh"]]["primitives"]:
            accessors = primitive["attributes"]
            for name in (name for name in accessors if name.startswith("JOINTS_")):
                joints = array(document, buffer, accessors[name])
                weights = array(document, buffer, accessors[name.replace("JOINTS", "WEIGHTS")])
                bound.update(joints[weights > 0].tolist())
    return bound


def is_rigid(matrix):
    return np.allclose(matrix, rigid(matrix), rtol=0, atol=ROUNDING)


def rigid(matrix):
    """Returns the rotation and translation of a matrix without its scale."""
    left, _, right = np.linalg.svd(matrix[:3, :3])
    turned = matrix.copy()
    turned[:3, :3] = left @ right
    return turned


# A node's transform in glTF, if the file gives none.
DEFAULTS = {"translation": [0, 0, 0], "rotation": [0, 0, 0, 1], "scale": [1, 1, 1]}


def local_matrix(node):
    """Returns the matrix of a node's translation, rotation and scale."""
    place, turn, scale = (node.get(path, default) for path, default in DEFAULTS.items())
    x, y, z, w = turn
    matrix = np.eye(4)
    matrix[:3, :3] = np.array(mathutils.Quaternion((w, x, y, z)).to_matrix()) * np.array(scale)
    matrix[:3, 3] = place
    return matrix


# Types of numbers in glTF.
NUMBERS = {5121: "u1", 5123: "<u2", 5125: "<u4", 5126: "<f4"}


def array(document, buffer, index):
    """Returns the numbers of an accessor, a row for each element. bindpose writes none that are interleaved."""
    accessor = document["accessors"][index]
    view = document["bufferViews"][accessor["bufferView"]]
    width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4, "MAT4": 16}[accessor["type"]]
    start = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
    numbers = np.frombuffer(buffer, NUMBERS[accessor["componentType"]], accessor["count"] * width, start)
    return numbers.reshape(-1, width)


class Keys:
    """Keys that hold a value, added to the clips of a document: new bytes at the end of its buffer."""

    def __init__(self, document, start):
        self.document, self.start, self.data = document, start, b""
        self.time = self.accessor([0], "SCALAR")
        document["accessors"][self.time].update(min=[0], max=[0])

    def accessor(self, values, kind):
        self.document["bufferViews"].append({"buffer": 0, "byteOffset": self.start + len(self.data), "byteLength": 4 * len(values)})
        self.data += np.array(values, "<f4").tobytes()
        view = len(self.document["bufferViews"]) - 1
        self.document["accessors"].append({"bufferView": view, "componentType": 5126, "count": 1, "type": kind})
        return len(self.document["accessors"]) - 1

    def hold(self, animation, node, path, value):
        output = self.accessor(value, f"VEC{len(value)}")
        animation["channels"].append({"sampler": len(animation["samplers"]), "target": {"node": node, "path": path}})
        animation["samplers"].append({"input": self.time, "output": output})


def unite_materials(meshes):
    """Merges the materials that `separate_materials` copied; the slots stay. Remembers names that Blender changed."""
    originals = {}
    for mesh in meshes:
        for index, material in enumerate(mesh.data.materials):
            key = material.get(INDEX) if material else None
            if key is None:
                continue
            original = originals.setdefault(key, material)
            if original != material:
                mesh.data.materials[index] = original
                if not material.users:
                    bpy.data.materials.remove(material)
    for material in originals.values():
        del material[INDEX]
        names.keep(material, material.get(names.NAME))


def call(operator, path, **wanted):
    """Calls an operator of Blender's glTF add-on with the options that this Blender supports."""
    try:
        known = operator.get_rna_type().properties
        operator(filepath=path, **{name: value for name, value in wanted.items() if name in known})
    except KeyError as error:
        raise program.Failure(f"{ADD_ON} is disabled; tick it in Edit > Preferences > Add-ons") from error
    except RuntimeError as error:
        # Blender reports a traceback, whose last line but the place is the cause.
        lines = [line.strip() for line in str(error).splitlines() if not line.startswith("Location:")]
        raise program.Failure(f"{ADD_ON} failed: {lines[-1]}") from error


def load(path):
    """Imports a .glb. Returns the new objects and actions."""
    document, buffer = read(path)
    added = set_bind_pose(document, buffer)
    names.mark(document)
    separate_materials(document)
    write(path, document, buffer + added)
    objects, actions = set(bpy.data.objects), set(bpy.data.actions)
    call(
        bpy.ops.import_scene.gltf,
        path,
        # The only heuristic that keeps the axes of joints.
        bone_heuristic="BLENDER",
        guess_original_bind_pose=False,
        disable_bone_shape=True,
        import_merge_material_slots=False,
        import_scene_as_collection=False,
    )
    new_objects = [one for one in bpy.data.objects if one not in objects]
    unite_materials([one for one in new_objects if one.type == "MESH"])
    for bone in (bone for one in new_objects if one.type == "ARMATURE" for bone in one.pose.bones):
        names.keep(bone, bone.get(names.NAME))
    return new_objects, [one for one in bpy.data.actions if one not in actions]


def save(path, deforming_only, with_clips):
    """Exports the selection as a .glb, with all of Blender's modifiers and constraints applied."""
    call(
        bpy.ops.export_scene.gltf,
        path,
        export_format="GLB",
        use_selection=True,
        export_apply=True,
        export_morph=False,
        export_extras=True,
        export_cameras=False,
        export_lights=False,
        export_all_influences=True,
        export_def_bones=deforming_only,
        export_leaf_bone=False,
        export_rest_position_armature=True,
        export_animations=with_clips,
        export_animation_mode="ACTIONS",
        # With several armatures, Blender exports only actions of NLA tracks; with one, all others as well.
        export_anim_single_armature=False,
        export_force_sampling=True,
        export_frame_range=False,
        # A clip begins at 0 whatever its first frame, and keeps the keys from which its rate is computed.
        export_anim_slide_to_zero=True,
        export_optimize_animation_size=False,
        export_optimize_animation_keep_anim_armature=True,
        export_reset_pose_bones=True,
        export_draco_mesh_compression_enable=False,
        export_use_gltfpack=False,
    )
