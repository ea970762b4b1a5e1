# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar: clips of the armature, and findings."""

import bpy

from . import actions, findings


class PlayClip(bpy.types.Operator):
    """Play this clip: its action, rate and range"""

    bl_idname = "bindpose.play_clip"
    bl_label = "Play Clip"
    bl_options = {"UNDO"}

    action: bpy.props.StringProperty(options={"HIDDEN"})

    def execute(self, context):
        armature = actions.armature_of(context)
        if not armature or self.action not in bpy.data.actions:
            return {"CANCELLED"}
        actions.show(context.scene, armature, bpy.data.actions[self.action])
        return {"FINISHED"}


class TickClip(bpy.types.Operator):
    """Export this clip, or leave it out"""

    bl_idname = "bindpose.tick_clip"
    bl_label = "Export Clip"
    bl_options = {"UNDO"}

    action: bpy.props.StringProperty(options={"HIDDEN"})

    def execute(self, context):
        action = bpy.data.actions.get(self.action)
        if action is None:
            return {"CANCELLED"}
        action[actions.LEAVE_OUT] = not action.get(actions.LEAVE_OUT, False)
        return {"FINISHED"}


class SetRate(bpy.types.Operator):
    """Give this clip the scene's rate as its own"""

    bl_idname = "bindpose.set_rate"
    bl_label = "Use Scene Rate"
    bl_options = {"UNDO"}

    action: bpy.props.StringProperty(options={"HIDDEN"})

    def execute(self, context):
        action = bpy.data.actions.get(self.action)
        if action is None:
            return {"CANCELLED"}
        action[actions.FPS] = actions.scene_rate(context.scene)
        return {"FINISHED"}


class Panel(bpy.types.Panel):
    bl_idname = "BINDPOSE_PT_panel"
    bl_label = "bindpose"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "bindpose"

    def draw(self, context):
        layout = self.layout
        findings.draw_missing_program(layout)
        armature = actions.armature_of(context)
        layout.label(text="Clips")
        clips = actions.of_armature(armature) if armature else []
        if not clips:
            layout.label(text="Select an armature with actions", icon="INFO")
        column = layout.column(align=True)
        for action in clips:
            self.draw_clip(column.row(align=True), armature, action)
        layout.label(text="Findings")
        findings.draw(layout, context)

    def draw_clip(self, row, armature, action):
        is_ticked = not action.get(actions.LEAVE_OUT, False)
        icon = "CHECKBOX_HLT" if is_ticked else "CHECKBOX_DEHLT"
        row.operator(TickClip.bl_idname, text="", icon=icon).action = action.name
        playing = armature.animation_data and armature.animation_data.action
        row.operator(PlayClip.bl_idname, text=action.name, depress=action == playing).action = action.name
        if actions.FPS in action:
            row.prop(action, f'["{actions.FPS}"]', text="fps")
        else:
            row.operator(SetRate.bl_idname, text="", icon="TIME").action = action.name


CLASSES = PlayClip, TickClip, SetRate, Panel


def register():
    for one in CLASSES:
        bpy.utils.register_class(one)


def unregister():
    for one in reversed(CLASSES):
        bpy.utils.unregister_class(one)
