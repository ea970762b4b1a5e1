# SPDX-License-Identifier: GPL-3.0-or-later
"""File > Export > MD5 and DirectX .x, each for an engine."""

import contextlib
import os
import tempfile
from pathlib import Path

import bpy
from bpy_extras.io_utils import ExportHelper

from . import actions, checks, findings, gltf, import_models, names, program

MD5_ENGINES = (
    ("doom3", "Doom 3", "Doom 3 and dhewm3"),
    ("tdm", "The Dark Mod", ""),
    ("rbdoom3bfg", "RBDOOM-3-BFG", ""),
    ("quake4", "Quake 4", ""),
    ("kex", "Quake, Quake II re-releases", "The KEX engine"),
    ("vkquake", "vkQuake", ""),
    ("ironwail", "Ironwail", ""),
    ("qss", "Quakespasm-Spiked, QSS-M", ""),
    ("fteqw", "FTEQW", ""),
    ("q2pro", "Q2PRO", ""),
    ("q2repro", "q2repro", ""),
    ("yquake2remaster", "yquake2remaster", ""),
    ("daemon", "Daemon (Unvanquished)", ""),
    ("etlegacy", "ET:Legacy", "Its second renderer"),
    ("cube2", "Cube 2 (Red Eclipse)", ""),
    ("assimp", "assimp", "Programs that use this library"),
)
# Engines that play one clip, named after the mesh, by frame numbers.
PLAYS_FRAMES = {"kex", "vkquake", "ironwail", "qss", "fteqw", "q2pro", "q2repro", "yquake2remaster"}
X_ENGINES = (
    ("luanti", "Luanti", "Times become frame numbers, as mods expect"),
    ("irrlicht", "Irrlicht", ""),
    ("openbve", "OpenBVE", ""),
    ("d3dx9", "Direct3D 9 (D3DX)", ""),
    ("wine-d3dx9", "Direct3D 9 of Wine", ""),
    ("xna", "XNA 4.0", ""),
    ("panda3d", "Panda3D", ""),
    ("assimp", "assimp", "Programs that use this library"),
)


class Export(program.Steps, ExportHelper):
    """Properties that both formats share."""

    scale: bpy.props.FloatProperty(
        name="Scale",
        description="Factor of all lengths; 39.37 turns metres into Doom 3's inches",
        default=1,
        min=1e-6,
        precision=4,
    )
    which: bpy.props.EnumProperty(
        name="Clips",
        items=(
            ("LISTED", "All ticked", "All clips that are ticked in the sidebar's list"),
            ("ACTIVE", "The active one", "The action that the armature plays now"),
            ("NONE", "None", "The mesh alone"),
        ),
    )
    deforming_only: bpy.props.BoolProperty(
        name="Deforming Bones Only",
        description="Leave out control bones; what they and constraints do is kept",
        default=True,
    )
    strip_prefix: bpy.props.StringProperty(name="Strip Prefix", description="Prefix of bone names to remove, such as mixamorig:")
    replace: bpy.props.BoolProperty(
        name="Replace Files",
        description="Replace the files of the model and its clips if they exist",
        default=False,
    )

    def invoke(self, context, event):
        armature = actions.armature_of(context)
        if armature:
            # A model is exported like it was imported.
            self.scale = 1 / armature.get(import_models.SCALE, 1)
        return ExportHelper.invoke(self, context, event)

    def draw(self, context):
        layout = self.layout
        layout.use_property_split = True
        for name in self.shown():
            layout.prop(self, name)
        findings.draw_missing_program(layout)

    def steps(self, context):
        program.find()
        armature = actions.armature_of(context)
        meshes, left_out = meshes_of(context, armature)
        if not armature and not meshes:
            raise program.Failure("Select an armature, or a mesh; nothing is exported")
        findings.clear(context)
        for found in checks.check(armature, meshes, left_out, self.deforming_only):
            findings.add(context, **found)
        errors = [found.message for found in findings.of(context) if found.severity == "error"]
        if errors:
            raise program.Failure("; ".join(errors))
        clips = self.clips(armature)
        for found in self.checked_rates(context.scene, clips):
            findings.add(context, **found)
        with tempfile.TemporaryDirectory(prefix="bindpose") as folder:
            path = os.path.join(folder, f"{Path(self.filepath).stem}.glb")
            save_glb(context, path, armature, meshes, clips, self.deforming_only)
            arguments = self.arguments(context, armature, clips)
            if changed := names.changed(armature, meshes, clips):
                arguments["names_from"] = os.path.join(folder, "names.json")
                names.save(arguments["names_from"], changed)
            run = program.Run(folder, [path], self.filepath, arguments)
            yield run
        report = run.report()
        if not report and run.code != 0:
            report = {"errors": run.err.strip().splitlines()[:3] or [f"bindpose ended with code {run.code}"]}
        findings.add_report(context, report, self.filepath, armature)
        if not report.get("files"):
            raise run.failure()
        names.save_beside(self.filepath, report)
        self.tell(context, report)

    def clips(self, armature):
        """Returns the actions to export, in the order of the list."""
        if not armature or self.which == "NONE":
            return []
        if self.which == "ACTIVE":
            active = armature.animation_data and armature.animation_data.action
            return [active] if active else []
        return [action for action in actions.of_armature(armature) if not action.get(actions.LEAVE_OUT)]

    def checked_rates(self, scene, clips):
        return ()

    def arguments(self, context, armature, clips):
        """Returns the arguments of `bindpose.convert`."""
        arguments = {"scale": self.scale}
        if self.replace:
            arguments["overwrite"] = True
        if self.strip_prefix:
            arguments["rename"] = {f"{self.strip_prefix}*": "*"}
        if not clips:
            arguments["clips"] = []
        return arguments

    def tell(self, context, report):
        counts = report.get("findings", {})
        errors, warnings = counts.get("errors", 0), counts.get("warnings", 0)
        clips = len(report.get("clips", []))
        text = f"{len(report['files'])} files, {clips} clips: {errors} errors, {warnings} warnings"
        self.report({"WARNING" if errors else "INFO"}, f"{text} (sidebar > bindpose lists them)")


class ExportMd5(Export, bpy.types.Operator):
    """Export the armature, its meshes and clips as MD5 for an engine, and check them for it"""

    bl_idname = "export_scene.bindpose_md5"
    bl_label = "Export MD5"
    bl_options = {"PRESET"}

    filename_ext = ".md5mesh"
    filter_glob: bpy.props.StringProperty(default="*.md5mesh", options={"HIDDEN"})
    engine: bpy.props.EnumProperty(name="Engine", items=MD5_ENGINES)
    root: bpy.props.StringProperty(name="Root Joint", description="Name of a joint to add above all others")
    influences: bpy.props.IntProperty(
        name="Weights", description="Most weights of a vertex; 0 for as many as the engine allows", default=0, min=0
    )
    frames: bpy.props.EnumProperty(
        name="Frames",
        description="For engines that play ten frames a second and address them by number",
        items=(
            ("keep", "Keep", "One frame of Blender is one frame of the game"),
            ("resample", "Resample", "Clips last as long as in Blender"),
        ),
    )
    join: bpy.props.BoolProperty(
        name="Join Clips",
        description="For engines that play one clip: join all in the order of the list; findings have the frames of each",
        default=True,
    )
    frames_from: bpy.props.StringProperty(
        name="Frames From", description="Old .mdl or .md2 that the model replaces; its frames are filled", subtype="FILE_PATH"
    )
    order_from: bpy.props.StringProperty(
        name="Bone Order From",
        description="Older .md5mesh whose order of bones is kept, so that its clips still fit",
        subtype="FILE_PATH",
    )
    only_clips: bpy.props.BoolProperty(name="Clips Only", description="Write no mesh; for a mesh that exists")

    def shown(self):
        yield from ("engine", "scale", "which")
        if self.engine in PLAYS_FRAMES:
            yield from ("frames", "join", "frames_from")
        yield from ("deforming_only", "root", "influences", "strip_prefix", "order_from", "only_clips", "replace")

    def invoke(self, context, event):
        armature = actions.armature_of(context)
        source = armature.get(import_models.SOURCE, "") if armature else ""
        if source.lower().endswith(".md5mesh") and os.path.exists(source):
            self.order_from = source
        return Export.invoke(self, context, event)

    def checked_rates(self, scene, clips):
        return () if self.engine in PLAYS_FRAMES else checks.check_rates(scene, clips)

    def arguments(self, context, armature, clips):
        arguments = {**Export.arguments(self, context, armature, clips), "profile": self.engine}
        plays_frames = self.engine in PLAYS_FRAMES
        if plays_frames and self.frames == "keep":
            arguments["keep_frames"] = True
        else:
            arguments["clip_fps"] = rates(context.scene, clips, whole=not plays_frames)
        if plays_frames and self.join and len(clips) > 1 and not self.frames_from:
            arguments["join"] = {Path(self.filepath).stem: [action.name for action in clips]}
        for name in ("root", "influences"):
            if value := getattr(self, name):
                arguments[name] = value
        for name in ("frames_from", "order_from"):
            if value := getattr(self, name):
                arguments[name] = bpy.path.abspath(value)
        if self.only_clips and clips:
            arguments["only_clips"] = True
        # These engines refuse a mesh without a clip.
        if plays_frames and not clips:
            arguments["rest_clip"] = True
        return arguments


class ExportX(Export, bpy.types.Operator):
    """Export the armature, its meshes and clips as DirectX .x for an engine, and check them for it"""

    bl_idname = "export_scene.bindpose_x"
    bl_label = "Export .x"
    bl_options = {"PRESET"}

    filename_ext = ".x"
    filter_glob: bpy.props.StringProperty(default="*.x", options={"HIDDEN"})
    engine: bpy.props.EnumProperty(name="Engine", items=X_ENGINES)
    encoding: bpy.props.EnumProperty(
        name="Encoding",
        items=(("text", "Text", ""), ("binary", "Binary", ""), ("tzip", "Text, compressed", ""), ("bzip", "Binary, compressed", "")),
    )

    def shown(self):
        return "engine", "scale", "which", "deforming_only", "strip_prefix", "encoding", "replace"

    def arguments(self, context, armature, clips):
        arguments = {**Export.arguments(self, context, armature, clips), "profile": self.engine, "encoding": self.encoding}
        arguments["clip_fps"] = rates(context.scene, clips)
        front = armature.get(import_models.FRONT) if armature else None
        if front in OPPOSITE_FRONT:
            arguments["front"] = OPPOSITE_FRONT[front]
        return arguments


# A .x file that faced +Y, as written by Blender's old exporter, faces +Y again.
OPPOSITE_FRONT = {"y": "-x"}


def rates(scene, clips, whole=False):
    """Returns the rate of each clip, rounded if the format has only whole ones."""
    own = {action.name: float(f"{actions.own_rate(scene, action):.9g}") for action in clips}
    return {name: max(1, round(rate)) if whole else rate for name, rate in own.items()}


def meshes_of(context, armature):
    """Returns the visible meshes that go with an armature, or without one the selected; and those left out."""
    visible = [one for one in context.view_layer.objects if one.type == "MESH" and one.visible_get()]

    def belongs(mesh):
        if not armature:
            return mesh.select_get()
        return mesh.find_armature() == armature or is_below(mesh, armature)

    return [one for one in visible if belongs(one)], [one for one in visible if not belongs(one)]


def is_below(one, ancestor):
    while one.parent:
        one = one.parent
        if one == ancestor:
            return True
    return False


def save_glb(context, path, armature, meshes, clips, deforming_only):
    """Exports the objects with their clips, and restores selection, action, frame, rate and mode."""
    with contextlib.ExitStack() as after:
        keep_scene(context, after)
        if armature:
            keep_pose(armature, after)
        for one in context.view_layer.objects:
            one.select_set(one == armature or one in meshes)
        context.view_layer.objects.active = armature or meshes[0]
        # Keys are at whole frames of a whole rate; each clip gets its own rate later.
        actions.set_scene_rate(context.scene, import_models.RATE)
        if armature and clips:
            add_tracks(armature, clips, after)
        gltf.save(path, deforming_only, bool(clips))


def keep_scene(context, after):
    """Restores what an export changes, at the end of `after`."""
    scene, objects = context.scene, context.view_layer.objects
    active, frame = objects.active, scene.frame_current
    mode = active.mode if active else "OBJECT"
    selected = {one for one in objects if one.select_get()}
    rate, base = scene.render.fps, scene.render.fps_base
    if mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")

    def restore():
        for one in objects:
            one.select_set(one in selected)
        objects.active = active
        scene.render.fps, scene.render.fps_base = rate, base
        scene.frame_set(frame)
        if mode != "OBJECT":
            bpy.ops.object.mode_set(mode=mode)

    after.callback(restore)


def keep_pose(armature, after):
    """Restores the pose, which Blender's exporter resets for each clip, at the end of `after`."""
    pose = [(bone, bone.matrix_basis.copy()) for bone in armature.pose.bones]

    def restore():
        for bone, matrix in pose:
            bone.matrix_basis = matrix

    after.callback(restore)


def add_tracks(armature, clips, after):
    """Adds a muted NLA track for each clip, because Blender exports such tracks."""
    data = armature.animation_data_create()
    action, slot = data.action, getattr(data, "action_slot", None)
    muted = [(track, track.mute) for track in data.nla_tracks]
    data.action = None
    for track, _ in muted:
        track.mute = True
    added = []
    for clip in clips:
        track = data.nla_tracks.new()
        added.append(track)
        track.name = clip.name
        strip = track.strips.new(clip.name, actions.frames(clip)[0], clip)
        actions.assign(strip, clip)
        track.mute = True

    def restore():
        for track in added:
            data.nla_tracks.remove(track)
        for track, was_muted in muted:
            track.mute = was_muted
        data.action = action
        if action and slot:
            data.action_slot = slot

    after.callback(restore)


CLASSES = ExportMd5, ExportX


def add_menu(self, context):
    self.layout.operator(ExportMd5.bl_idname, text="MD5 for an engine (.md5mesh)")
    self.layout.operator(ExportX.bl_idname, text="DirectX .x for an engine (.x)")


def register():
    for one in CLASSES:
        bpy.utils.register_class(one)
    bpy.types.TOPBAR_MT_file_export.append(add_menu)


def unregister():
    bpy.types.TOPBAR_MT_file_export.remove(add_menu)
    for one in reversed(CLASSES):
        bpy.utils.unregister_class(one)
