# SPDX-License-Identifier: GPL-3.0-or-later
"""File > Import > MD5 / DirectX .x."""

import os
import tempfile
from pathlib import Path

import bpy
from bpy_extras.io_utils import ImportHelper

from . import actions, findings, gltf, names, program

# Custom properties of an armature.
SOURCE = "bindpose_source"
SCALE = "bindpose_scale"
FRONT = "bindpose_front"

# Frames of a clip become frames of the scene if Blender's importer uses this rate.
RATE = 24
EXTENSIONS = ".md5mesh", ".md5anim", ".x"


class Import(program.Steps, bpy.types.Operator, ImportHelper):
    """Import a model and its clips; clips next to a .md5mesh are found automatically"""

    bl_idname = "import_scene.bindpose"
    bl_label = "Import MD5 or .x"
    bl_options = {"UNDO", "PRESET"}

    filename_ext = ".md5mesh"
    filter_glob: bpy.props.StringProperty(default="*.md5mesh;*.md5anim;*.x", options={"HIDDEN"})
    files: bpy.props.CollectionProperty(type=bpy.types.OperatorFileListElement, options={"HIDDEN", "SKIP_SAVE"})
    directory: bpy.props.StringProperty(subtype="DIR_PATH", options={"HIDDEN", "SKIP_SAVE"})
    scale: bpy.props.FloatProperty(
        name="Scale",
        description="Factor of all lengths; 0.0254 turns Doom 3's inches into metres",
        default=1,
        min=1e-6,
        precision=4,
    )
    clips: bpy.props.BoolProperty(name="Clips", description="Import clips, each as an action", default=True)
    textures: bpy.props.StringProperty(
        name="Textures",
        description="Folder to search for images that are not beside the model",
        subtype="DIR_PATH",
    )

    def draw(self, context):
        layout = self.layout
        layout.use_property_split = True
        layout.prop(self, "scale")
        layout.prop(self, "clips")
        layout.prop(self, "textures")
        findings.draw_missing_program(layout)

    def invoke(self, context, event):
        # Dropped files come with their paths.
        if self.directory and self.files:
            return self.execute(context)
        return ImportHelper.invoke(self, context, event)

    def selected(self):
        """Returns the models to import, each with the clips selected for it."""
        paths = [os.path.join(self.directory, one.name) for one in self.files if one.name] or [self.filepath]
        clips = [path for path in paths if path.lower().endswith(".md5anim")]
        models = [path for path in paths if path not in clips]
        if len(models) == 1:
            return [models + clips]
        return [[model] for model in models] or [clips]

    def steps(self, context):
        imported = []
        with tempfile.TemporaryDirectory(prefix="bindpose") as folder:
            converted = []
            for number, paths in enumerate(self.selected()):
                place = os.path.join(folder, str(number))
                os.mkdir(place)
                # Blender names the armature after the node, which has the name of the file.
                path = os.path.join(place, f"{Path(paths[0]).stem}.glb")
                run = program.Run(place, paths, path, self.arguments(paths[0]))
                yield run
                if not os.path.exists(path):
                    raise run.failure()
                converted.append((paths[0], path, run.report()))
            findings.clear(context)
            for source, path, report in converted:
                imported.append(self.load(context, source, path, report))
        clips = sum(imported)
        self.report({"INFO"}, f"Imported models: {len(imported)}, clips: {clips}")

    def arguments(self, source):
        """Returns the arguments of `bindpose.convert`."""
        arguments = {"influences": "all", "scale": self.scale, "fps": RATE, "keep_frames": True}
        # A bone of Blender has no scale at rest.
        if source.lower().endswith(".x"):
            arguments["bake_scale"] = True
        if not self.clips:
            arguments["clips"] = []
        if self.textures:
            arguments["textures"] = bpy.path.abspath(self.textures)
        # The list of an export, see export_models.py.
        if os.path.exists(names.list_of(source)):
            arguments["names_from"] = names.list_of(source)
        return arguments

    def load(self, context, source, path, report):
        """Loads a converted model. Returns the number of its clips."""
        scene = context.scene
        rate, base = scene.render.fps, scene.render.fps_base
        actions.set_scene_rate(scene, RATE)
        try:
            objects, new_actions = gltf.load(path)
        finally:
            scene.render.fps, scene.render.fps_base = rate, base
        armatures = [one for one in objects if one.type == "ARMATURE"]
        for armature in armatures:
            armature[SOURCE], armature[SCALE] = source, self.scale
            if "front" in report:
                armature[FRONT] = report["front"]
            armature.data.display_type = "STICK"
        clips = name_clips(new_actions, report.get("clips", []), armatures)
        for armature in armatures:
            data = armature.animation_data_create()
            for track in list(data.nla_tracks):
                data.nla_tracks.remove(track)
            if clips:
                actions.show(scene, armature, clips[0])
            context.view_layer.objects.active = armature
        findings.add_report(context, report, source)
        return len(clips)


def name_clips(new_actions, clips, armatures):
    """Gives the imported actions the names, rates and order of the file's clips. Returns them in that order."""
    remaining = list(new_actions)
    found = []
    for order, clip in enumerate(clips):
        # Blender before 4.4 adds the armature's name, and any Blender a number where the name is in use.
        known = [clip["name"], *(f"{clip['name']}_{armature.name}" for armature in armatures)]
        action = next((one for one in remaining if is_called(one.name, known)), None)
        if action is None:
            continue
        remaining.remove(action)
        action.name = clip["name"]
        names.keep(action, clip["name"])
        action.use_fake_user = True
        action[actions.FPS] = float(clip.get("source_fps", clip["fps"]))
        action[actions.ORDER] = order
        if armatures:
            action[actions.OWNER] = armatures[0]
        actions.set_frames(action, clip["frames"])
        found.append(action)
    return found


def is_called(name, names):
    """True if Blender made the name from one of these."""
    stem, dot, number = name.rpartition(".")
    is_numbered = dot and len(number) == 3 and number.isdigit()
    return name in names or bool(is_numbered and stem in names)


class Drop(bpy.types.FileHandler):
    bl_idname = "BINDPOSE_FH_import"
    bl_label = "MD5 / DirectX .x"
    bl_import_operator = Import.bl_idname
    bl_file_extensions = ";".join(EXTENSIONS)

    @classmethod
    def poll_drop(cls, context):
        return context.area is not None and context.area.type == "VIEW_3D"


def add_menu(self, context):
    self.layout.operator(Import.bl_idname, text="MD5 / DirectX .x (.md5mesh, .x)")


def register():
    bpy.utils.register_class(Import)
    bpy.utils.register_class(Drop)
    bpy.types.TOPBAR_MT_file_import.append(add_menu)


def unregister():
    bpy.types.TOPBAR_MT_file_import.remove(add_menu)
    bpy.utils.unregister_class(Drop)
    bpy.utils.unregister_class(Import)
