# SPDX-License-Identifier: GPL-3.0-or-later
"""The list of findings, each with a jump to its subject."""

import json
import re

import bpy

from . import actions, program

SEVERITIES = "error", "warning", "info", "hint"
ICONS = {"error": "CANCEL", "warning": "ERROR", "info": "INFO", "hint": "INFO"}
# Largest number of vertices that one finding lists.
MOST_VERTICES = 100_000
# Movements of vertices that are not listed, as a share of the model's size: Blender's own rounding moves them as far.
NEGLIGIBLE = 1e-5


class Finding(bpy.types.PropertyGroup):
    severity: bpy.props.StringProperty(default="info")
    code: bpy.props.StringProperty()
    message: bpy.props.StringProperty()
    # The engine's message.
    says: bpy.props.StringProperty()
    help: bpy.props.StringProperty()
    file: bpy.props.StringProperty()
    # Subject of the finding; empty or negative if unknown.
    object: bpy.props.StringProperty()
    bone: bpy.props.StringProperty()
    action: bpy.props.StringProperty()
    vertices: bpy.props.StringProperty(description="Indices as JSON")
    frame: bpy.props.IntProperty(default=-1, description="Frame of the action, counted from 0")

    def has_target(self):
        return bool(self.bone or self.vertices or self.object or self.action)


def of(context):
    return context.window_manager.bindpose_findings


def clear(context):
    of(context).clear()
    context.window_manager.bindpose_finding = 0


def add(context, **values):
    finding = of(context).add()
    vertices = values.pop("vertices", None)
    if vertices is not None:
        finding.vertices = json.dumps(vertices[:MOST_VERTICES])
    for name, value in values.items():
        setattr(finding, name, value)


def sort(context):
    """Sorts errors to the front; otherwise keeps the order."""
    known = of(context)
    for position in range(1, len(known)):
        place = position
        while place > 0 and rank(known[place - 1]) > rank(known[place]):
            known.move(place, place - 1)
            place -= 1


def rank(finding):
    return SEVERITIES.index(finding.severity) if finding.severity in SEVERITIES else len(SEVERITIES)


def add_report(context, report, file, armature=None):
    """Adds everything that `convert --json` reports."""
    for error in report.get("errors", []):
        add(context, severity="error", message=error, file=file, **named_in(error, armature))
    for warning in report.get("warnings", []):
        add(context, severity="warning", code=warning["code"], message=warning["message"], file=file)
    for loss in report.get("losses", []):
        if loss.get("moved", {}).get("of_size", 1) > NEGLIGIBLE:
            add(context, message=loss["text"], file=file, **named_in(loss["text"], armature))
    for note in report.get("notes", []):
        add(context, message=note, file=file, **named_in(note, armature))
    for checked in report.get("validation", {}).get("files", []):
        for found in checked["findings"]:
            add(context, file=checked["path"], **from_validator(found, armature))
    sort(context)


def from_validator(found, armature):
    """Returns the properties of a finding of the validator."""
    engines = (f"{one['profile']}: {one.get('says') or one['effect']}" for one in found.get("engines", []))
    values = {
        "severity": found["severity"],
        "code": found["code"],
        "message": found["message"],
        "says": "; ".join(engines),
        "help": found.get("help") or "",
        "frame": found.get("frame") if found.get("frame") is not None else -1,
        **named_in(found["message"], armature),
    }
    joint, clip = found.get("joint") or "", found.get("clip") or ""
    if armature and joint in armature.data.bones:
        values["bone"] = joint
    if clip in bpy.data.actions:
        values["action"] = clip
    return values


def named_in(text, armature):
    """Returns the bone and action that a message names in quotes."""
    values = {}
    for name in re.findall(r"'([^']+)'", text):
        if armature and "bone" not in values and name in armature.data.bones:
            values["bone"] = name
        elif "action" not in values and name in bpy.data.actions:
            values["action"] = name
    return values


class Show(bpy.types.Operator):
    """Select the bone or vertices, and go to the frame"""

    bl_idname = "bindpose.show_finding"
    bl_label = "Show"
    bl_options = {"UNDO"}

    index: bpy.props.IntProperty(default=-1, options={"HIDDEN"})

    @classmethod
    def poll(cls, context):
        return len(of(context)) > 0

    def execute(self, context):
        index = self.index if self.index >= 0 else context.window_manager.bindpose_finding
        if index >= len(of(context)):
            return {"CANCELLED"}
        finding = of(context)[index]
        armature = actions.armature_of(context)
        if finding.bone:
            holders = [one for one in context.view_layer.objects if is_armature_with(one, finding.bone)]
            armature = armature if armature in holders else next(iter(holders), None)
        if armature and finding.action in bpy.data.actions:
            self.go_to_frame(context, armature, bpy.data.actions[finding.action], finding.frame)
        if finding.bone and armature:
            select_bone(context, armature, finding.bone)
        elif finding.object in context.view_layer.objects:
            select_object(context, context.view_layer.objects[finding.object], json.loads(finding.vertices or "[]"))
        elif not finding.action:
            self.report({"INFO"}, "This finding is about the whole file")
            return {"CANCELLED"}
        return {"FINISHED"}

    def go_to_frame(self, context, armature, action, frame):
        actions.show(context.scene, armature, action)
        if frame >= 0:
            context.scene.frame_set(context.scene.frame_start + frame)


def is_armature_with(one, bone):
    return one.type == "ARMATURE" and bone in one.data.bones


def make_active(context, one):
    """Leaves the current mode and makes an object the only selected one."""
    active = context.view_layer.objects.active
    if active and active.mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")
    for other in context.view_layer.objects:
        other.select_set(False)
    one.hide_set(False)
    one.select_set(True)
    context.view_layer.objects.active = one


def select_bone(context, armature, name):
    make_active(context, armature)
    bpy.ops.object.mode_set(mode="POSE")
    # Blender 5.0 moved the selection from bones to pose bones.
    bones = armature.pose.bones if bpy.app.version >= (5, 0) else armature.data.bones
    for bone in bones:
        bone.select = bone.name == name
    armature.data.bones.active = armature.data.bones[name]


def select_object(context, one, vertices):
    make_active(context, one)
    if one.type != "MESH" or not vertices:
        return
    mesh = one.data
    for elements in (mesh.polygons, mesh.edges, mesh.vertices):
        elements.foreach_set("select", [False] * len(elements))
    for index in vertices:
        if index < len(mesh.vertices):
            mesh.vertices[index].select = True
    context.tool_settings.mesh_select_mode = True, False, False
    bpy.ops.object.mode_set(mode="EDIT")


class List(bpy.types.UIList):
    bl_idname = "BINDPOSE_UL_findings"

    def draw_item(self, context, layout, data, item, icon, active_data, active_property, index=0):
        text = f"{item.code} {item.message}" if item.code else item.message
        layout.label(text=text, icon=ICONS.get(item.severity, "INFO"))
        if item.has_target():
            layout.operator(Show.bl_idname, text="", icon="RESTRICT_SELECT_OFF", emboss=False).index = index


def draw(layout, context):
    manager = context.window_manager
    known = manager.bindpose_findings
    if not known:
        layout.label(text="No findings", icon="CHECKMARK")
        return
    layout.template_list(List.bl_idname, "", manager, "bindpose_findings", manager, "bindpose_finding", rows=5)
    if not 0 <= manager.bindpose_finding < len(known):
        return
    finding = known[manager.bindpose_finding]
    column = layout.column(align=True)
    for text in (finding.message, finding.says, finding.help, finding.file):
        for line in wrapped(text, max(24, context.region.width // 9)):
            column.label(text=line)
    row = layout.row()
    row.enabled = finding.has_target()
    row.operator(Show.bl_idname).index = manager.bindpose_finding


def wrapped(text, width):
    """Returns a text as lines; Blender's labels are one line each."""
    lines = []
    for word in text.split():
        if lines and len(lines[-1]) + 1 + len(word) <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


def draw_missing_program(layout):
    """Explains how to get the program if it is not found."""
    try:
        program.find()
    except program.Failure as failure:
        box = layout.box()
        for number, line in enumerate(wrapped(str(failure), 40)):
            box.label(text=line, icon="BLANK1" if number else "ERROR")
        box.operator("preferences.addon_show", text="Open Preferences").module = __package__


CLASSES = Finding, Show, List


def register():
    for one in CLASSES:
        bpy.utils.register_class(one)
    bpy.types.WindowManager.bindpose_findings = bpy.props.CollectionProperty(type=Finding)
    bpy.types.WindowManager.bindpose_finding = bpy.props.IntProperty(default=0)


def unregister():
    del bpy.types.WindowManager.bindpose_finding
    del bpy.types.WindowManager.bindpose_findings
    for one in reversed(CLASSES):
        bpy.utils.unregister_class(one)
