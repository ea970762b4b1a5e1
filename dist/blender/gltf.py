# SPDX-License-Identifier: GPL-3.0-or-later
"""glTF between the program and Blender."""

import json
import struct

import bpy

from . import program

HEADER = struct.Struct("<4sII")
CHUNK = struct.Struct("<II")
JSON = 0x4E4F534A
# Custom property of imported materials: the index of the file's material.
INDEX = "bindpose_material"
ADD_ON = "Blender's add-on glTF 2.0 format"


def read(path):
    """Returns the document of a .glb and the bytes after it."""
    with open(path, "rb") as file:
        data = file.read()
    length, _ = CHUNK.unpack_from(data, HEADER.size)
    start = HEADER.size + CHUNK.size
    return json.loads(data[start : start + length]), data[start + length :]


def separate_materials(document):
    """Gives each primitive its own material. Returns true if there were fewer before.

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
                materials.append({**materials[index], "extras": {INDEX: index}})
            used.add(index)
    if len(materials) == count:
        return False
    for index in range(count):
        materials[index]["extras"] = {INDEX: index}
    return True


def write(path, document, rest):
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    with open(path, "wb") as file:
        file.write(HEADER.pack(b"glTF", 2, HEADER.size + CHUNK.size + len(text) + len(rest)))
        file.write(CHUNK.pack(len(text), JSON) + text + rest)


def unite_materials(meshes):
    """Merges the materials that `separate_materials` copied; the slots stay."""
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
    document, rest = read(path)
    if separate_materials(document):
        write(path, document, rest)
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
