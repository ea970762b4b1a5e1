# SPDX-License-Identifier: GPL-3.0-or-later
"""Clips as Blender's actions: one action for each, with its own rate and range."""

import math

import bpy

# Custom properties of an action.
FPS = "bindpose_fps"
ORDER = "bindpose_order"
OWNER = "bindpose_armature"
LEAVE_OUT = "bindpose_leave_out"


def fcurves(action):
    """Returns all curves of an action."""
    if not hasattr(action, "layers"):
        return list(action.fcurves)
    bags = (bag for layer in action.layers for strip in layer.strips for bag in strip.channelbags)
    return [curve for bag in bags for curve in bag.fcurves]


def assign(owner, action):
    """Assigns an action to an object or an NLA strip, with its slot where Blender has slots."""
    owner.action = action
    if hasattr(owner, "action_slot") and owner.action_slot is None and action.slots:
        owner.action_slot = action.slots[0]


def of_armature(armature):
    """Returns the actions that move bones of an armature, in the order of the file they came from."""
    prefixes = {f'pose.bones["{bpy.utils.escape_identifier(bone.name)}"]' for bone in armature.data.bones}
    found = []
    for action in bpy.data.actions:
        owner = action.get(OWNER)
        if owner is not None and owner != armature and owner.name in bpy.context.scene.objects:
            continue
        if any(curve.data_path.rpartition(".")[0] in prefixes for curve in fcurves(action)):
            found.append(action)
    return sorted(found, key=lambda action: (action.get(ORDER, math.inf), action.name))


def scene_rate(scene):
    """Returns the scene's frames per second."""
    return scene.render.fps / scene.render.fps_base


def own_rate(scene, action):
    """Returns the frames per second of an action: those of its file, or the scene's if it was drawn in Blender."""
    return action.get(FPS) or scene_rate(scene)


def set_scene_rate(scene, rate):
    scene.render.fps = max(1, round(rate))
    scene.render.fps_base = scene.render.fps / rate


def frames(action):
    """Returns the first and last frame of an action, whole numbers."""
    first, last = action.frame_range
    return math.floor(first), math.ceil(last)


def set_frames(action, count):
    """Sets the number of frames. Adds a last key to a clip without movement, which has a single key whatever its length."""
    first, end = frames(action)
    last = first + count - 1
    if end < last:
        for curve in fcurves(action):
            curve.keyframe_points.insert(last, curve.evaluate(last)).interpolation = "LINEAR"
    action.use_frame_range = True
    action.frame_start, action.frame_end = first, last


def reset_pose(armature):
    """Returns all bones to rest, because a clip sets only those that it moves."""
    for bone in armature.pose.bones:
        bone.location = 0, 0, 0
        bone.rotation_quaternion = 1, 0, 0, 0
        bone.rotation_axis_angle = 0, 0, 1, 0
        bone.rotation_euler = 0, 0, 0
        bone.scale = 1, 1, 1


def show(scene, armature, action):
    """Sets up the scene to play a clip: action, slot, rate and range."""
    reset_pose(armature)
    assign(armature.animation_data_create(), action)
    rate = action.get(FPS)
    if rate:
        set_scene_rate(scene, rate)
    scene.frame_start, scene.frame_end = frames(action)
    scene.frame_set(scene.frame_start)


def armature_of(context):
    """Returns the armature of the active object, otherwise the only one of the view layer, otherwise `None`."""
    active = context.view_layer.objects.active
    if active and active.type == "ARMATURE":
        return active
    if active and active.type == "MESH":
        bound = active.find_armature() or active.parent
        if bound and bound.type == "ARMATURE":
            return bound
    all_of_them = [one for one in context.view_layer.objects if one.type == "ARMATURE"]
    return all_of_them[0] if len(all_of_them) == 1 else None
