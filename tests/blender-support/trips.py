# SPDX-License-Identifier: GPL-3.0-or-later
"""Round trips of models through the extension, compared with an evaluator of MD5, `bindpose dump` and Blender's meshes.

python trips.py EXTENSION.zip [--without-wheel]
"""

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path

FOLDER = tempfile.mkdtemp(prefix="bindpose-blender")
os.environ["BLENDER_USER_RESOURCES"] = FOLDER
# The program, which the extension uses only where a test says so.
PROGRAM = os.environ.pop("BINDPOSE")

import bpy
import numpy as np

import addon_utils  # bpy makes it known

sys.path.insert(0, str(Path(__file__).parent))
import md5
import rig

ROOT = Path(__file__).resolve().parents[2]
CORPUS = Path(os.environ.get("BINDPOSE_SHARED", ROOT.parent / "shared")) / "corpus"
MODULE = "bl_ext.user_default.bindpose"
# Largest distance of a vertex, as a share of the model's size.
TOLERANCE = 1e-5
# Times by which vertices are matched; box models have several in one position at fewer.
MATCHED = 24

PLAYERS = "unvanquished-players/models/players"
MD5_MODELS = (
    ROOT / "data/md5/mannequin_light.md5mesh",
    ROOT / "data/md5/cylinder.md5mesh",
    CORPUS / PLAYERS / "level0/body.md5mesh",
    CORPUS / PLAYERS / "builder/body.md5mesh",
    CORPUS / "unvanquished-weapons/models/weapons/lgun/lgun_view.md5mesh",
    CORPUS / "redeclipse-actors/drone/mesh.md5mesh",
    CORPUS / "redeclipse-weapons/smg/smg.md5mesh",
)
X_MODELS = (
    ROOT / "data/x/mannequin_light.x",
    CORPUS / "ayntest_game/mods/mobs/models/mobs_sheep.x",
    CORPUS / "minetest_game/mods/default/models/character_2014.x",
    CORPUS / "pixture/mods/mobs/models/mobs_skunk.x",
    # Its rest pose is not its bind pose.
    CORPUS / "directx-sdk-legacy-samples/Media/Tiny/tiny.x",
)
# Models that Blender represents less exactly: a bone of the mannequin points to about -Y, where Blender's roll is inexact;
# weights of the drone disagree in the bind pose, and glTF has their mean; the sheep has weights below 0.0001, which
# Blender's exporter drops.
INEXACT = {"md5/mannequin_light": 2e-5, "x/mannequin_light": 2e-5, "drone/mesh": 2e-5, "models/mobs_sheep": 3e-5}


def tolerance(path):
    return INEXACT.get(f"{path.parent.name}/{path.stem}", TOLERANCE)


def main(extension, *options):
    install(extension)
    trips = [(md5_trip, path) for path in MD5_MODELS] + [(x_trip, path) for path in X_MODELS]
    trips += [(planted_trip, ROOT / "target/tmp/planted")]
    trips += [(luanti_trip, X_MODELS[1]), (luanti_trip, X_MODELS[2])]
    trips += [(rig_trip, engine) for engine in ("doom3", "vkquake")]
    trips += [(rate_trip, rate) for rate in ("24", "25", "29.97", "30", "60")]
    trips += [(rig_x_trip, "d3dx9"), (still_trip, "ironwail"),
        (checks, "checks"), (missing_program, "no program"), (program_beside_the_scene, "stranger's program"),
        (missing_gltf, "no glTF"), (two_armatures, "two armatures"), (format_names, "names of .x"), (blender_names, "names of Blender"),
        (wheel_and_program, "wheel and program"), (stopped, "Esc"), (broken_wheel, "broken wheel")]
    if options == ("--without-wheel",):
        trips = [(no_wheel, "no wheel"), (md5_trip, MD5_MODELS[1]), (x_trip, X_MODELS[0])]
    failures = absent = 0
    for trip, subject in trips:
        if isinstance(subject, Path) and not subject.exists():
            absent += 1
            continue
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=False)
        name = f"{subject.parent.name}/{subject.stem}" if isinstance(subject, Path) else subject
        try:
            print(f"  {trip.__name__} {name}: {trip(subject)}")
        except Exception:
            failures += 1
            print(f"  {trip.__name__} {name}: FAILED\n{traceback.format_exc()}")
    if absent:
        print(f"  {absent} models of the corpus, or the planted ones of `cargo test --test all faults::`, are not here")
    return failures


def install(extension):
    """Installs the extension from its zip and enables it, like a user."""
    bpy.ops.extensions.package_install_files(filepath=extension, repo="user_default", enable_on_install=False)
    addon_utils.extensions_refresh(ensure_wheels=False)
    assert addon_utils.enable(MODULE, default_set=True), "the extension cannot be enabled"


def extension():
    return sys.modules[MODULE]


# Measures


def blender_frames(objects, action, armature):
    """Returns the world positions of all vertices at each frame of an action."""
    bpy.ops.bindpose.play_clip(action=action.name)
    assert armature.animation_data.action == action
    scene = bpy.context.scene
    out = []
    for frame in range(scene.frame_start, scene.frame_end + 1):
        scene.frame_set(frame)
        graph = bpy.context.evaluated_depsgraph_get()
        positions = []
        for one in objects:
            evaluated = one.evaluated_get(graph)
            mesh = evaluated.to_mesh()
            local = np.empty(3 * len(mesh.vertices))
            mesh.vertices.foreach_get("co", local)
            world = np.array(evaluated.matrix_world)
            positions.append(local.reshape(-1, 3) @ world[:3, :3].T + world[:3, 3])
            evaluated.to_mesh_clear()
        out.append(np.vstack(positions))
    return np.stack(out)


def turned(frames):
    """Converts positions in Blender, facing -Y, to those of a model that faces +X."""
    return np.stack([-frames[..., 1], frames[..., 0], frames[..., 2]], -1)


def worst(expected, got):
    """Returns the largest distance of a vertex of either model from the nearest path of the other, as a share of the size."""
    assert len(expected) == len(got), f"{len(got)} frames instead of {len(expected)}"
    known = ~np.isnan(expected).any((1, 2)) & ~np.isnan(got).any((1, 2))
    expected, got = expected[known], got[known]
    size = np.ptp(expected[0], axis=0).max()
    return max(one_way(expected, got), one_way(got, expected)) / size


def one_way(from_, to):
    times = np.unique(np.linspace(0, len(from_) - 1, MATCHED).round().astype(int))
    a, b = (frames[times].transpose(1, 0, 2).reshape(frames.shape[1], -1) for frames in (from_, to))
    centre = a.mean(0)
    a, b = a - centre, b - centre
    nearest = np.concatenate([((b**2).sum(1) - 2 * part @ b.T).argmin(1) for part in np.array_split(a, len(a) // 500 + 1)])
    return np.linalg.norm(from_ - to[:, nearest], axis=-1).max()


def nearest_turn(expected, got):
    """Returns the smallest error over quarter turns about the vertical axis, and the turn."""
    turn = np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1]], float)
    return min((worst(expected, got @ np.linalg.matrix_power(turn, quarters).T), quarters) for quarters in range(4))


def dump(path, clip):
    """Returns the vertices at each frame, from `bindpose dump`, which leaves out frames without keys. Those are not numbers."""
    command = [PROGRAM, "dump", path, "--stage", "vertices", "--format", "json", "--clip", clip]
    items = json.loads(subprocess.run(command, capture_output=True, check=True, text=True).stdout)["items"]
    rate = items[0].get("frame_rate")
    frames = {round(frame["time"] * rate) if rate else index: frame for index, frame in enumerate(items[0]["items"])}
    known = {at: [v["position"] for mesh in frame["items"] for v in mesh["items"]] for at, frame in frames.items()}
    unknown = np.full_like(known[0], np.nan)
    return np.array([known.get(at, unknown) for at in range(max(known) + 1)])


# Trips


def import_model(path):
    assert bpy.ops.import_scene.bindpose(filepath=str(path)) == {"FINISHED"}
    armature = next(one for one in bpy.data.objects if one.type == "ARMATURE")
    return armature, [one for one in bpy.data.objects if one.type == "MESH"]


def export(operator, path, **options):
    before = state()
    assert operator(filepath=str(path), **options) == {"FINISHED"}
    assert state() == before, f"the scene changed: {before} became {state()}"


def state():
    """Returns the state that an export must not change."""
    scene, active = bpy.context.scene, bpy.context.view_layer.objects.active
    data = active.animation_data
    return (
        scene.frame_current,
        scene.render.fps,
        round(scene.render.fps_base, 6),
        active.name,
        active.mode,
        data.action.name if data and data.action else None,
        len(data.nla_tracks) if data else 0,
        sorted(one.name for one in bpy.context.view_layer.objects if one.select_get()),
    )


def md5_trip(path):
    mesh = md5.Mesh(path)
    armature, objects = import_model(path)
    assert [bone.name for bone in armature.data.bones] == mesh.names or len(armature.data.bones) == len(mesh.names)
    back = Path(tempfile.mkdtemp(dir=FOLDER)) / path.name
    clips = sorted(extension().actions.of_armature(armature), key=lambda action: action.name)
    assert clips or not any(path.parent.glob("*.md5anim")), "no clip was imported"
    sources = {action.name: md5.Clip(path.with_name(f"{action.name}.md5anim")) for action in clips}
    most_in = 0
    expected = {}
    for action in clips:
        source = sources[action.name]
        expected[action.name] = md5.frames(mesh, source)
        assert action.use_fake_user and action["bindpose_fps"] == source.rate, action.name
        got = blender_frames(objects, action, armature)
        most_in = max(most_in, worst(expected[action.name], turned(got)))
        assert abs(extension().actions.scene_rate(bpy.context.scene) - source.rate) < 1e-4
    export(bpy.ops.export_scene.bindpose_md5, back, engine="doom3", influences=0, order_from="")
    returned = md5.Mesh(back)
    assert returned.names == mesh.names, "the order of joints changed"
    assert len(returned.shaders) == len(mesh.shaders), returned.shaders
    for known, shader in zip(mesh.shaders, returned.shaders):
        # Engines read paths with slashes and without extension; Blender has no material without a name.
        known = known.replace("\\", "/").removesuffix(".png")
        assert shader == known or not known, f"shader {known} became {shader}"
    most_out = 0
    for action in clips:
        clip = md5.Clip(back.with_name(f"{action.name}.md5anim"))
        assert (clip.rate, clip.count) == (sources[action.name].rate, sources[action.name].count), action.name
        most_out = max(most_out, worst(expected[action.name], md5.frames(returned, clip)))
    assert max(most_in, most_out) <= tolerance(path), f"{most_in:.2g} in Blender, {most_out:.2g} back"
    return f"{len(clips)} clips, {most_in:.1e} in Blender, {most_out:.1e} back"


def x_trip(path):
    armature, objects = import_model(path)
    clips = extension().actions.of_armature(armature)
    assert clips, "no clip was imported"
    expected = {action.name: dump(path, action.name) for action in clips}
    most_in = 0
    for action in clips:
        error, _ = nearest_turn(expected[action.name], blender_frames(objects, action, armature))
        most_in = max(most_in, error)
    back = Path(tempfile.mkdtemp(dir=FOLDER)) / path.name
    export(bpy.ops.export_scene.bindpose_x, back, engine="assimp")
    most_out = 0
    for action in clips:
        error, quarters = nearest_turn(expected[action.name], dump(back, action.name))
        assert quarters == 0, f"turned by {90 * quarters} degrees"
        most_out = max(most_out, error)
    assert max(most_in, most_out) <= tolerance(path), f"{most_in:.2g} in Blender, {most_out:.2g} back"
    return f"{len(clips)} clips, {most_in:.1e} in Blender, {most_out:.1e} back"


def luanti_trip(path):
    """One clip for Luanti: its frame numbers are the source's ticks."""
    armature, _ = import_model(path)
    action = armature.animation_data.action
    back = Path(tempfile.mkdtemp(dir=FOLDER)) / path.name
    export(bpy.ops.export_scene.bindpose_x, back, engine="luanti", which="ACTIVE")
    error, quarters = nearest_turn(dump(path, action.name), dump(back, action.name))
    assert quarters == 0 and error <= tolerance(path), f"{error:.2g}, turned by {90 * quarters} degrees"
    last = max(int(tick) for tick in re.findall(r"^\s*(\d+);4;", back.read_text(), re.M))
    assert last == length(action), f"the last key is at {last}"
    return f"{error:.1e}"


def length(action):
    first, last = action.frame_range
    return last - first


def planted_trip(folder):
    """Models with planted faults, which a test of the program writes: the list names each fault and nothing else."""
    count = 0
    for row in json.loads((folder / "expected.json").read_text()):
        path = folder / row["model"]
        if path.suffix not in (".md5mesh", ".x"):
            continue
        count += 1
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=False)
        try:
            bpy.ops.import_scene.bindpose(filepath=str(path))
            assert not row["refused"], f"{path} is not refused"
            found = bpy.context.window_manager.bindpose_findings
            said = " ".join(f"{one.code} {one.message}" for one in found if one.severity != "hint")
        except RuntimeError as error:
            assert row["refused"], f"{path}: {error}"
            said = str(error)
        named = set(re.findall(r"\b(?:MD5[A-Z]|XFI|XF|GLI|TEX|IO)\d{3}\b", said))
        expected = {*row["left_out"], *row["images"], *row["found"]}
        assert named == expected, f"{path}: {sorted(named)} instead of {sorted(expected)}"
    return f"{count} models"


def rig_truth(armature, objects):
    """Blender's own frames of both actions, and the armature as it was before."""
    playing = armature.animation_data.action
    truth = {name: turned(blender_frames(objects, bpy.data.actions[name], armature)) for name in ("Idle", "Wave Hello")}
    extension().actions.show(bpy.context.scene, armature, playing)
    return truth


def rig_trip(engine):
    armature, objects = rig.build(bpy.context)
    truth = rig_truth(armature, objects)
    back = Path(tempfile.mkdtemp(dir=FOLDER)) / "hero.md5mesh"
    export(bpy.ops.export_scene.bindpose_md5, back, engine=engine, scale=39.37, join=False, influences=7)
    mesh = md5.Mesh(back)
    assert [name for name in mesh.names if name != "origin"] == list(rig.DEFORMING), mesh.names
    assert len(mesh.shaders) == 3, mesh.shaders
    most = 0
    for name, frames in truth.items():
        clip = md5.Clip(back.with_name(f"{name.replace(' ', '_')}.md5anim"))
        assert clip.rate == (24 if engine == "doom3" else 10), clip.rate
        most = max(most, worst(39.37 * frames, md5.frames(mesh, clip)))
    assert most <= TOLERANCE, f"{most:.2g}"
    return f"{len(truth)} clips, {most:.1e}"


def rig_x_trip(engine):
    armature, objects = rig.build(bpy.context)
    truth = rig_truth(armature, objects)
    back = Path(tempfile.mkdtemp(dir=FOLDER)) / "hero.x"
    export(bpy.ops.export_scene.bindpose_x, back, engine=engine)
    most = max(nearest_turn(frames, dump(back, name.replace(" ", "_")))[0] for name, frames in truth.items())
    assert most <= TOLERANCE, f"{most:.2g}"
    return f"{len(truth)} clips, {most:.1e}"


def rate_trip(rate):
    """Clips drawn in Blender have the scene's rate: each frame is one of the engine's."""
    armature, _ = rig.build(bpy.context)
    extension().actions.set_scene_rate(bpy.context.scene, float(rate))
    folder = Path(tempfile.mkdtemp(dir=FOLDER))
    export(bpy.ops.export_scene.bindpose_md5, folder / "hero.md5mesh", engine="doom3")
    clip, count = md5.Clip(folder / "Idle.md5anim"), round(length(bpy.data.actions["Idle"])) + 1
    assert (clip.rate, clip.count) == (round(float(rate)), count), (clip.rate, clip.count)
    said = [found.message for found in bpy.context.window_manager.bindpose_findings if "whole rates" in found.message]
    assert len(said) == (2 if "." in rate else 0), said
    export(bpy.ops.export_scene.bindpose_x, folder / "hero.x", engine="d3dx9")
    ticks = int(re.search(r"AnimTicksPerSecond \{\s*(\d+);", (folder / "hero.x").read_text())[1])
    times = [int(tick) for tick in re.findall(r"^\s*(\d+);4;", (folder / "hero.x").read_text(), re.M)]
    longest = max(length(bpy.data.actions[name]) for name in ("Idle", "Wave Hello"))
    assert abs(max(times) / ticks - longest / float(rate)) < 1e-3, (max(times), ticks)
    return f"{clip.count} frames"


def still_trip(engine):
    """Engines that refuse a mesh without a clip get the rest pose as one."""
    rig.build(bpy.context)
    folder = Path(tempfile.mkdtemp(dir=FOLDER))
    export(bpy.ops.export_scene.bindpose_md5, folder / "still.md5mesh", engine=engine, which="NONE", influences=7)
    assert md5.Clip(folder / "still.md5anim").count == 1
    refused = [found.message for found in bpy.context.window_manager.bindpose_findings if found.severity == "error"]
    assert not refused, refused
    return "1 frame"


def checks(_):
    """Checks before an export, the list, and its jumps."""
    armature, (body, _) = rig.build(bpy.context)
    for group in body.vertex_groups:
        group.remove([0, 1])
    back = Path(tempfile.mkdtemp(dir=FOLDER)) / "hero.md5mesh"
    message = refusal(back)
    assert "2 vertices of Body without weights" in message, message
    assert not back.exists()
    found = bpy.context.window_manager.bindpose_findings
    index = next(index for index, one in enumerate(found) if one.vertices)
    assert bpy.ops.bindpose.show_finding(index=index) == {"FINISHED"}
    bpy.ops.object.mode_set(mode="OBJECT")
    assert [vertex.index for vertex in body.data.vertices if vertex.select] == [0, 1]
    assert any("Shape keys of Body" in one.message for one in found)
    body.vertex_groups["root"].add([0, 1], 1, "REPLACE")
    for bone in armature.data.bones:
        bone.use_deform = False
    bpy.context.view_layer.objects.active = armature
    assert "No bone of Hero deforms" in refusal(back)
    for name in rig.DEFORMING:
        armature.data.bones[name].use_deform = True
    assert bpy.ops.export_scene.bindpose_md5(filepath=str(back), engine="doom3") == {"FINISHED"}
    index = next(index for index, one in enumerate(found) if one.bone and one.action)
    finding = found[index]
    assert bpy.ops.bindpose.show_finding(index=index) == {"FINISHED"}
    assert bpy.context.object == armature and armature.mode == "POSE"
    assert armature.data.bones.active.name == finding.bone
    assert armature.animation_data.action.name == finding.action
    bpy.ops.object.mode_set(mode="OBJECT")
    assert "Replace Files" in refusal(back), "an existing file was replaced"
    return f"{len(found)} findings"


def refusal(path):
    try:
        bpy.ops.export_scene.bindpose_md5(filepath=str(path), engine="doom3")
    except RuntimeError as error:
        return str(error)
    raise AssertionError("the export was not refused")


def import_refusal(path=MD5_MODELS[0]):
    try:
        bpy.ops.import_scene.bindpose(filepath=str(path))
    except RuntimeError as error:
        return str(error)
    raise AssertionError("the import was not refused")


@contextlib.contextmanager
def environment(**variables):
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        os.environ.update({name: value for name, value in before.items() if value is not None})
        for name in (name for name, value in before.items() if value is None):
            del os.environ[name]


def missing_program(_):
    with environment(BINDPOSE="/nowhere/bindpose"):
        error = import_refusal()
    assert "/nowhere/bindpose is not a program" in error, error
    return "refused"


def program_beside_the_scene(_):
    """A program or module in the current folder may be anyone's. It does not run, even if paths contain that folder."""
    here = os.getcwd()
    with tempfile.TemporaryDirectory() as folder, environment(PATH=os.pathsep.join([".", "", os.environ["PATH"]]), PYTHONPATH=folder):
        planted = Path(folder) / "bindpose"
        planted.write_text("#!/bin/sh\necho bindpose of a stranger\n")
        planted.chmod(0o755)
        for module in ("bindpose", "json"):
            Path(folder, f"{module}.py").write_text("raise SystemExit('a stranger')")
        os.chdir(folder)
        tried = [Path(candidate).resolve() for candidate in extension().program.installed()]
        import_model(MD5_MODELS[0])
        os.chdir(here)
    assert planted.resolve() not in tried, tried
    return "not run"


def wheel_and_program(_):
    """The wheel and the program write the same files and find the same."""
    results = []
    cut = Path(tempfile.mkdtemp(dir=FOLDER)) / "cut.x"
    cut.write_bytes(X_MODELS[0].read_bytes()[:5000])
    for variables in ({}, {"BINDPOSE": PROGRAM}):
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=False)
        folder = Path(tempfile.mkdtemp(dir=FOLDER))
        with environment(**variables):
            command = extension().program.find()
            assert (command[0] == PROGRAM) == bool(variables), command
            result = [listed(import_model(MD5_MODELS[1])[0].name)]
            export(bpy.ops.export_scene.bindpose_md5, folder / "a.md5mesh", engine="vkquake", scale=2, strip_prefix="lo", root="top", influences=3)
            result.append(listed(folder))
            export(bpy.ops.export_scene.bindpose_md5, folder / "b.md5mesh", engine="doom3", which="NONE", order_from=str(MD5_MODELS[1]))
            result.append(listed(folder))
            export(bpy.ops.export_scene.bindpose_x, folder / "c.x", engine="luanti", encoding="binary", which="ACTIVE")
            result.append(listed(folder))
            result.append(import_refusal(cut))
        results.append([*result, {path.name: path.read_bytes() for path in folder.iterdir()}])
    ours, theirs = results
    assert ours == theirs, [(a, b) for a, b in zip(ours, theirs) if a != b]
    import bindpose  # of the wheel, also for the user's scripts

    assert Path(bindpose.__file__).is_relative_to(extension().program.wheel())
    assert bindpose.load(MD5_MODELS[1]).joint_names == md5.Mesh(MD5_MODELS[1]).names
    return f"{len(ours[-1])} files"


def listed(folder):
    """Returns the list of findings, with paths in `folder` as names."""
    names = "severity", "code", "message", "says", "help", "file", "bone", "action", "frame"
    found = bpy.context.window_manager.bindpose_findings
    return [[str(getattr(one, name)).replace(str(folder), "") for name in names] for one in found]


def stopped(_):
    """Esc ends the process, and nothing is written."""
    program = extension().program
    with tempfile.TemporaryDirectory() as folder:
        run = program.Run(folder, [str(MD5_MODELS[0])], os.path.join(folder, "a.glb"), {})
        assert run.process.args[0] == sys.executable and not run.is_done()
        run.stop()
        assert run.is_done() and run.code not in (0, None) and not os.listdir(folder), (run.code, os.listdir(folder))
    return "stopped"


def broken_wheel(_):
    """Where the wheel cannot be loaded, an installed program is used; without one, the error is shown."""
    program = extension().program
    module = next((program.wheel() / "bindpose").glob("_bindpose.abi3.*"))
    # This process may have loaded it.
    whole = module.rename(module.with_suffix(".whole"))
    module.write_bytes(b"")
    program.VERSIONS.clear()
    with environment(PATH=str(Path(PROGRAM).parent)):
        assert program.find() == (PROGRAM,), program.find()
        import_model(MD5_MODELS[1])
    with environment(PATH="/nowhere", HOME="/nowhere"):
        error = import_refusal()
    assert "wheel of this extension does not work here: ImportError" in error, error
    whole.replace(module)
    program.VERSIONS.clear()
    return "program, or refused"


def no_wheel(_):
    """A zip without a wheel needs an installed program."""
    find = extension().program.find
    with environment(PATH="/nowhere", HOME="/nowhere"):
        error = import_refusal()
    assert "was not found, and this extension has no wheel" in error, error
    os.environ["PATH"] = str(Path(PROGRAM).parent)
    assert find() == (PROGRAM,), find()
    return "program"


def format_names(_):
    """Names that a format cannot hold come back from the list beside the file."""
    armature, objects = rig.build(bpy.context)
    armature.data.bones["spine"].name, objects[0].data.materials[0].name = "Hüfte \"1\"", "Häut µ"
    bones, materials = names_of(armature, objects)
    folder = Path(tempfile.mkdtemp(dir=FOLDER))
    path = folder / "hero.x"
    export(bpy.ops.export_scene.bindpose_x, path, engine="d3dx9", deforming_only=False)
    said = [found.message for found in bpy.context.window_manager.bindpose_findings if "renamed" in found.message]
    assert "H_fte" in path.read_text() and said, said
    # A list keeps the names of clips that an export does not write.
    mesh = folder / "hero.md5mesh"
    for which in ("LISTED", "ACTIVE", "NONE"):
        export(bpy.ops.export_scene.bindpose_md5, mesh, engine="doom3", which=which, replace=True)
    listed = json.loads(Path(extension().names.list_of(mesh)).read_text())["losses"]
    clips = [name for loss in listed if loss["what"] == "clip" for name in loss["names"]]
    assert clips == [{"from": "Wave Hello", "to": "Wave_Hello"}], listed
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=False)
    import_model(mesh)
    assert sorted(action.name for action in bpy.data.actions) == ["Idle", "Wave Hello"], list(bpy.data.actions)
    for is_listed in (True, False):
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=False)
        if not is_listed:
            path.with_name("hero.x.names.json").unlink()
        again = import_model(path)
        came_back = names_of(*again) == (bones, materials)
        assert came_back == is_listed, names_of(*again)
    return f"{len(bones)} bones, {len(materials)} materials"


def names_of(armature, objects):
    return {bone.name for bone in armature.data.bones}, {one.name for mesh in objects for one in mesh.data.materials}


def blender_names(_):
    """Names that Blender changed because they are long or in use are exported as they were in the file."""
    folder = Path(tempfile.mkdtemp(dir=FOLDER))
    long = "upper" + 70 * "x"
    for source in MD5_MODELS[1].parent.glob("cylinder*.md5*"):
        (folder / source.name).write_text(source.read_text().replace('"upper"', f'"{long}"'))
    path = folder / MD5_MODELS[1].name
    for _ in range(2):
        armature, objects = import_model(path)
        bpy.ops.object.select_all(action="DESELECT")
    armature = bpy.context.view_layer.objects.active
    clips = [action.name for action in extension().actions.of_armature(armature)]
    assert clips == ["cylinder_bend.001", "cylinder_twist.001"], clips
    back = Path(tempfile.mkdtemp(dir=FOLDER)) / path.name
    export(bpy.ops.export_scene.bindpose_md5, back, engine="doom3", order_from="")
    ours, theirs = md5.Mesh(back), md5.Mesh(path)
    assert (ours.names, ours.shaders) == (theirs.names, theirs.shaders), (ours.names, ours.shaders)
    written = sorted(one.name for one in back.parent.iterdir())
    assert written == ["cylinder.md5mesh", "cylinder_bend.md5anim", "cylinder_twist.md5anim"], written
    # A name that was changed by hand stays.
    next(bone for bone in armature.data.bones if bone.name.startswith("upper")).name = "arm"
    export(bpy.ops.export_scene.bindpose_md5, back, engine="doom3", order_from="", replace=True)
    assert "arm" in md5.Mesh(back).names and long not in md5.Mesh(back).names
    return f"{len(clips)} clips"


def missing_gltf(_):
    """Blender's own add-on for glTF is disabled, or cannot be loaded."""
    addon_utils.disable("io_scene_gltf2")
    error = import_refusal()
    assert "glTF 2.0 format is disabled; tick it" in error, error
    addon_utils.enable("io_scene_gltf2")
    modules = {name: sys.modules.pop(name) for name in list(sys.modules) if name.startswith("io_scene_gltf2.blender")}
    sys.modules["io_scene_gltf2.blender"] = None
    error = import_refusal()
    del sys.modules["io_scene_gltf2.blender"]
    sys.modules.update(modules)
    assert "failed: ModuleNotFoundError: " in error and "Traceback" not in error, error
    return "refused"


def two_armatures(_):
    """All clips of the chosen armature are exported, and none of the other."""
    rig.build(bpy.context, name="Other")
    for action in bpy.data.actions:
        action.name = f"Other {action.name}"
    import_model(MD5_MODELS[1])
    armature = bpy.context.view_layer.objects.active
    back = Path(tempfile.mkdtemp(dir=FOLDER)) / "cylinder.md5mesh"
    export(bpy.ops.export_scene.bindpose_md5, back, engine="doom3")
    written = sorted(path.stem for path in back.parent.glob("*.md5anim"))
    assert written == ["cylinder_bend", "cylinder_twist"], written
    return armature.name


if __name__ == "__main__":
    try:
        failures = main(os.path.abspath(sys.argv[1]), *sys.argv[2:])
    except BaseException:
        traceback.print_exc()
        failures = 1
    sys.stdout.flush()
    sys.stderr.flush()
    shutil.rmtree(FOLDER, ignore_errors=True)
    # Blender as a module may hang when it exits.
    os._exit(min(failures, 1))
