# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks before an export of properties that only Blender knows."""

from . import actions

# Modifiers that may give vertices their weights.
WEIGHTS_FROM = {"DATA_TRANSFER", "NODES", "VERTEX_WEIGHT_EDIT", "VERTEX_WEIGHT_MIX", "VERTEX_WEIGHT_PROXIMITY"}


def check(armature, meshes, left_out, deforming_only):
    """Yields findings as dictionaries of `findings.Finding`'s properties."""
    if armature:
        yield from check_bones(armature, deforming_only)
    for mesh in meshes:
        yield from check_mesh(armature, mesh, deforming_only)
    for mesh in left_out:
        bound_to = mesh.find_armature()
        why = f"bound to {bound_to.name}" if bound_to else f"not bound to {armature.name}" if armature else "not selected"
        yield {
            "severity": "info",
            "message": f"{mesh.name} is {why}: it is left out",
            "object": mesh.name,
            "help": "Parent it to the armature (Ctrl P), or to a bone, to export it",
        }


def check_rates(scene, clips):
    """Yields findings about clips for MD5, whose rates are whole."""
    for action in clips:
        rate = actions.own_rate(scene, action)
        if abs(rate - round(rate)) > 1e-3:
            yield {
                "severity": "info",
                "message": f"{action.name} has {rate:.4g} frames per second; MD5 has whole rates, so its frames play at {max(1, round(rate))}",
            }


def check_bones(armature, deforming_only):
    bones = armature.data.bones
    if deforming_only and not any(bone.use_deform for bone in bones):
        yield {
            "severity": "error",
            "message": f"No bone of {armature.name} deforms",
            "object": armature.name,
            "help": "Tick Bone Properties > Deform for the bones that move the mesh",
        }
    roots = [root.name for root in exported_roots(bones, deforming_only)]
    if len(roots) > 1:
        yield {
            "severity": "info",
            "message": f"{len(roots)} bones have no parent: {', '.join(roots[:8])}",
            "object": armature.name,
            "bone": roots[1],
            "help": "Engines that need one root get a joint 'origin' above them; or parent them to one bone",
        }


def exported_roots(bones, deforming_only):
    """Yields the exported bones without an exported bone above them."""
    for bone in bones:
        is_exported = bone.use_deform or not deforming_only
        above = bone.parent_recursive
        if is_exported and not any(one.use_deform or not deforming_only for one in above):
            yield bone


def check_mesh(armature, mesh, deforming_only):
    bound_to = mesh.find_armature()
    if armature and bound_to == armature and not any(modifier.type in WEIGHTS_FROM for modifier in mesh.modifiers):
        yield from check_weights(armature, mesh, deforming_only)
    if not mesh.data.uv_layers:
        yield {
            "severity": "warning",
            "message": f"{mesh.name} has no UV map",
            "object": mesh.name,
            "help": "Unwrap it in edit mode: UV > Unwrap",
        }
    if not any(mesh.data.materials):
        yield {
            "severity": "warning",
            "message": f"{mesh.name} has no material, so its shader has no name",
            "object": mesh.name,
            "help": "Add a material named after the game's shader",
        }
    keys = mesh.data.shape_keys
    if keys:
        values = [f"{key.name} {key.value:.2f}" for key in keys.key_blocks[1:9]]
        yield {
            "severity": "warning",
            "message": f"Shape keys of {mesh.name} stay as they are now: {', '.join(values)}",
            "object": mesh.name,
            "help": "Neither MD5 nor .x has shape keys; bones have to make the motion",
        }
    if mesh.matrix_world.determinant() < 0:
        yield {
            "severity": "warning",
            "message": f"{mesh.name} has a negative scale, which turns its faces round",
            "object": mesh.name,
            "help": "Object > Apply > Scale, then Mesh > Normals > Recalculate Outside",
        }


def check_weights(armature, mesh, deforming_only):
    is_exported = {bone.name for bone in armature.data.bones if bone.use_deform or not deforming_only}
    groups = {group.index for group in mesh.vertex_groups if group.name in is_exported}
    used = {index for edge in mesh.data.edges for index in edge.vertices}

    def is_bound(vertex):
        return any(element.group in groups and element.weight > 0 for element in vertex.groups)

    loose = [vertex.index for vertex in mesh.data.vertices if vertex.index in used and not is_bound(vertex)]
    if loose:
        count = "1 vertex" if len(loose) == 1 else f"{len(loose)} vertices"
        yield {
            "severity": "error",
            "message": f"{count} of {mesh.name} without weights of a deforming bone",
            "object": mesh.name,
            "vertices": loose,
            "help": "Show selects them. Assign them to a vertex group of a bone, or delete them",
        }
