# SPDX-License-Identifier: GPL-3.0-or-later
"""A rig as artists build it: control bones, IK, a mirrored mesh with up to seven weights, shape keys, a hat on a bone."""

import math

import bmesh
import bpy

DEFORMING = "root", "spine", "head", "arm.L", "forearm.L", "arm.R", "forearm.R"


def build(context, object_scale=1.5, name="Hero"):
    """Adds the rig. Returns the armature and its meshes."""
    armature = add_armature(context, name)
    body = add_body(context, armature)
    hat = add_mesh(context, "Hat", cone)
    hat.parent, hat.parent_type, hat.parent_bone = armature, "BONE", "head"
    hat.location = 0, 0.05, 0
    hat.data.materials.append(bpy.data.materials.new("felt"))
    armature.scale = (object_scale,) * 3
    add_actions(armature)
    context.view_layer.objects.active = armature
    context.view_layer.update()
    return armature, [body, hat]


def add_armature(context, name):
    data = bpy.data.armatures.new(name)
    armature = bpy.data.objects.new(name, data)
    context.scene.collection.objects.link(armature)
    context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")

    def bone(name, head, tail, parent=None, deforms=True):
        new = data.edit_bones.new(name)
        new.head, new.tail, new.use_deform = head, tail, deforms
        new.parent = data.edit_bones[parent] if parent else None

    bone("CTRL_main", (0, 0, 0), (0, 0.3, 0), deforms=False)
    bone("root", (0, 0, 0.8), (0, 0, 1), "CTRL_main")
    bone("MCH_spine", (0, 0, 1), (0, 0, 1.2), "root", deforms=False)
    bone("spine", (0, 0, 1), (0, 0.02, 1.5), "MCH_spine")
    bone("head", (0, 0.02, 1.5), (0, 0, 1.9), "spine")
    for side, x in (("L", 1), ("R", -1)):
        bone(f"arm.{side}", (0.2 * x, 0, 1.45), (0.5 * x, 0.03, 1.45), "spine")
        bone(f"forearm.{side}", (0.5 * x, 0.03, 1.45), (0.8 * x, 0, 1.45), f"arm.{side}")
        bone(f"IK_hand.{side}", (0.8 * x, 0, 1.45), (0.9 * x, 0, 1.45), "CTRL_main", deforms=False)
    bpy.ops.object.mode_set(mode="OBJECT")
    for side in "LR":
        constraint = armature.pose.bones[f"forearm.{side}"].constraints.new("IK")
        constraint.target, constraint.subtarget, constraint.chain_count = armature, f"IK_hand.{side}", 2
    return armature


def add_mesh(context, name, fill):
    mesh = bpy.data.meshes.new(name)
    shape = bmesh.new()
    fill(shape)
    shape.to_mesh(mesh)
    shape.free()
    one = bpy.data.objects.new(name, mesh)
    context.scene.collection.objects.link(one)
    return one


def cone(shape):
    bmesh.ops.create_cone(shape, segments=8, radius1=0.15, radius2=0, depth=0.2, cap_ends=True)
    shape.loops.layers.uv.new("UVMap")


def half_body(shape):
    boxes = ((0.12, 0, 1.2), (0.24, 0.2, 0.6), 2), ((0.1, 0, 1.65), (0.2, 0.2, 0.3), 1), ((0.5, 0, 1.45), (0.6, 0.12, 0.12), 3)
    for centre, size, cuts in boxes:
        corners = bmesh.ops.create_cube(shape, size=1)["verts"]
        bmesh.ops.scale(shape, verts=corners, vec=size)
        bmesh.ops.translate(shape, verts=corners, vec=centre)
        edges = list({edge for corner in corners for edge in corner.link_edges})
        bmesh.ops.subdivide_edges(shape, edges=edges, cuts=cuts, use_grid_fill=True)
    uv = shape.loops.layers.uv.new("UVMap")
    for face in shape.faces:
        face.material_index = int(face.calc_center_median().z > 1.5)
        for loop in face.loops:
            loop[uv].uv = loop.vert.co.x, loop.vert.co.z / 2


def add_body(context, armature):
    body = add_mesh(context, "Body", half_body)
    for name in ("skin", "cloth"):
        body.data.materials.append(bpy.data.materials.new(name))
    groups = {name: body.vertex_groups.new(name=name) for name in DEFORMING}
    body.vertex_groups.new(name="mask")
    for vertex in body.data.vertices:
        weights = {name: 1 / (0.02 + distance(vertex.co, armature.data.bones[name])) ** 3 for name in DEFORMING}
        total = sum(weights.values())
        for name, weight in weights.items():
            if weight / total > 0.004:
                groups[name].add([vertex.index], weight / total, "REPLACE")
    mirror = body.modifiers.new("Mirror", "MIRROR")
    mirror.use_mirror_merge, mirror.merge_threshold = True, 0.001
    body.parent = armature
    body.modifiers.new("Armature", "ARMATURE").object = armature
    body.shape_key_add(name="Basis")
    smile = body.shape_key_add(name="smile")
    for index, vertex in enumerate(body.data.vertices):
        if vertex.co.z > 1.6:
            smile.data[index].co.y -= 0.05
    return body


def distance(point, bone):
    head, tail = bone.head_local, bone.tail_local
    along = (point - head).dot(tail - head) / (tail - head).length_squared
    return (point - head - (tail - head) * max(0, min(1, along))).length


def add_actions(armature):
    bones = armature.pose.bones
    for bone in bones:
        bone.rotation_mode = "XYZ"

    def idle(frame):
        bones["spine"].rotation_euler = 0.1 * math.sin(frame / 3), 0, 0
        bones["spine"].keyframe_insert("rotation_euler", frame=frame)
        bones["CTRL_main"].location = 0, 0, 0.02 * math.cos(frame / 3)
        bones["CTRL_main"].keyframe_insert("location", frame=frame)

    def wave(frame):
        bones["IK_hand.L"].location = -0.2 + 0.1 * math.sin(frame / 4), 0.1, 0.3 * math.cos(frame / 4)
        bones["IK_hand.L"].keyframe_insert("location", frame=frame)
        bones["head"].rotation_euler = 0, 0.4 * math.sin(frame / 5), 0
        bones["head"].keyframe_insert("rotation_euler", frame=frame)

    for name, frames, pose in (("Idle", range(1, 21, 4), idle), ("Wave Hello", range(1, 31, 3), wave)):
        action = bpy.data.actions.new(name)
        action.use_fake_user = True
        armature.animation_data_create().action = action
        for frame in frames:
            pose(frame)
