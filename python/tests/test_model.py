"""Arrays, poses and vertices, beside ``bindpose dump`` in all of its decimals and beside a calculation with numpy alone."""

from __future__ import annotations

import gc
import json
from pathlib import Path

import bindpose
import numpy as np
import pytest
from support import CYLINDER, ROOT, SETS, WALK, dump, records, run, same

models = pytest.mark.parametrize("files", SETS, ids=lambda files: files[0].name)


@models
def test_skeleton_and_clips(files: list[Path]) -> None:
    model, items = bindpose.load(files), dump(files, "--stage", "model")
    joints = records(items, "joint")
    assert model.joint_names == [joint["name"] for joint in joints]
    assert model.parents.dtype == np.int32 and not model.parents.flags.writeable
    assert all(parent < joint for joint, parent in enumerate(model.parents))
    names = [None if parent < 0 else model.joint_names[parent] for parent in model.parents]
    assert names == [joint.get("parent") for joint in joints]
    same(model.pose(local=True)[:, :3, 3], [joint["position"] for joint in joints])
    clips = records(items, "clip")
    assert [clip.name for clip in model.clips] == [clip["name"] for clip in clips]
    same([clip.duration for clip in model.clips], [clip["seconds"] for clip in clips])
    rates = [clip.frame_rate for clip in model.clips]
    assert [rate is None for rate in rates] == ["frame_rate" not in clip for clip in clips]
    same([rate for rate in rates if rate], [clip["frame_rate"] for clip in clips if "frame_rate" in clip])


@models
def test_meshes(files: list[Path]) -> None:
    model = bindpose.load(files)
    meshes = records(dump(files, "--stage", "model"), "mesh")
    assert [mesh.name for mesh in model.meshes] == [mesh["name"] for mesh in meshes]
    for mesh, dumped in zip(model.meshes, meshes, strict=True):
        vertices = records(dumped, "vertex")
        for array, key in ((mesh.positions, "position"), (mesh.normals, "normal"), (mesh.uvs, "uv")):
            assert array.dtype == np.float32 and not array.flags.writeable and not array.flags.owndata
            same(array, [vertex[key] for vertex in vertices])
        assert mesh.triangles.dtype == np.uint32 and mesh.triangles.shape == (dumped["triangles"], 3)
        by_vertex = [records(vertex, "influence") for vertex in vertices]
        np.testing.assert_array_equal(np.diff(mesh.influence_starts.astype(int)), [len(pulls) for pulls in by_vertex])
        pulls = [pull for pulls in by_vertex for pull in pulls]
        same(mesh.influence_weights, [pull["weight"] for pull in pulls])
        same(mesh.influence_offsets, [pull["offset"] for pull in pulls])
        slots = mesh.bind_joints[mesh.influence_slots]
        assert [model.joint_names[joint] for joint in slots] == [pull["name"] for pull in pulls]
        binds = records(dumped, "inverse_bind")
        columns = [[bind[axis] for axis in ("x", "y", "z", "translation")] for bind in binds]
        same(mesh.inverse_bind[:, :3].transpose(0, 2, 1), columns)
        np.testing.assert_array_equal(mesh.inverse_bind[:, 3], np.tile([0, 0, 0, 1], (len(binds), 1)))
        joints, weights = mesh.padded_influences(4)
        assert joints.dtype == np.uint16 and joints.shape == weights.shape == (len(vertices), 4)
        vertex = np.repeat(np.arange(len(vertices)), np.diff(mesh.influence_starts.astype(int)))
        sums = np.bincount(vertex, mesh.influence_weights, len(vertices))
        np.testing.assert_allclose(weights.sum(axis=1), sums, atol=1e-6)
        assert joints.max() < len(mesh.bind_joints)


@models
def test_poses(files: list[Path]) -> None:
    model = bindpose.load(files)
    for clip in dump(files, "--stage", "model-pose", "--frames", "0,3,7"):
        times = model.clip(clip["name"]).times
        frames = [frame for frame in records(clip, "frame") if frame["number"] < len(times)]
        times = times[[frame["number"] for frame in frames]]
        poses = model.pose(clip["name"], times)
        assert poses.shape == (len(frames), len(model.joint_names), 4, 4) and poses.dtype == np.float64
        for pose, frame, time in zip(poses, frames, times, strict=True):
            same(pose[:, :3, 3], [joint["position"] for joint in records(frame, "joint")])
            np.testing.assert_array_equal(model.pose(clip["name"], time), pose)
            # Each joint in its parent's space gives the same.
            for joint, (parent, local) in enumerate(zip(model.parents, model.pose(clip["name"], time, local=True))):
                np.testing.assert_allclose(local if parent < 0 else pose[parent] @ local, pose[joint], atol=1e-9)


@models
def test_every_bit_of_every_frame(files: list[Path], tmp_path: Path) -> None:
    # A snapshot has digests of all bits of joints and vertices, and the native program makes it here.
    folder = tmp_path / "models"
    folder.mkdir()
    for file in files:
        (folder / file.name).write_bytes(file.read_bytes())
    assert run("snapshot", "record", folder, "-o", tmp_path / "snapshots").returncode == 0
    copies = [folder / file.name for file in files]
    assert bindpose.verify(copies, tmp_path / "snapshots" / f"{files[0].name}.snapshot") == ""


@models
@pytest.mark.parametrize("method", ["linear", "dqs", "cor", "sjb"])
def test_vertices(files: list[Path], method: str) -> None:
    model = bindpose.load(files)
    clip = model.clips[0]
    times = clip.times
    number = len(times) // 3
    options = [] if method == "linear" else ["--method", method]
    try:
        vertices = model.vertices(clip, times[number], method=method)
    except bindpose.MethodError as error:
        assert "scale" in str(error)
        return
    items = dump(files, "--stage", "vertices", "--clip", clip.name, "--frames", str(number), *options)
    meshes = records(records(items[0], "frame")[0], "mesh")
    same(vertices, [vertex["position"] for mesh in meshes for vertex in records(mesh, "vertex")])
    start = 0
    for mesh in model.meshes:
        end = start + len(mesh.positions)
        np.testing.assert_array_equal(model.vertices(clip, times[number], method=method, mesh=mesh), vertices[start:end])
        start = end


@models
def test_vertices_by_hand(files: list[Path]) -> None:
    model = bindpose.load(files)
    clip, mesh = model.clips[0], model.meshes[0]
    time = 0.37 * clip.duration
    palette = model.pose(clip, time)[mesh.bind_joints] @ mesh.inverse_bind
    bind = np.c_[mesh.positions.astype(float), np.ones(len(mesh.positions))]
    vertex = np.repeat(np.arange(len(bind)), np.diff(mesh.influence_starts.astype(int)))
    moved = np.einsum("nij,nj->ni", palette[mesh.influence_slots], bind[vertex])[:, :3]
    by_hand = np.zeros((len(bind), 3))
    np.add.at(by_hand, vertex, moved * mesh.influence_weights[:, None])
    vertices = model.vertices(clip, time, mesh=0)
    size = np.abs(vertices).max()
    # Bind positions have 24 bits, and MD5's influences disagree about them by the file's decimals.
    np.testing.assert_allclose(vertices, by_hand, atol=2e-5 * size)
    fast = model.vertices(clip, [time, 0.0], mesh=0, fast=True)
    assert fast.dtype == np.float32 and fast.shape == (2, len(bind), 3)
    np.testing.assert_allclose(fast[0], vertices, atol=2e-5 * size)


def test_arguments() -> None:
    model = bindpose.load(CYLINDER)
    bend = model.clip("cylinder_bend")
    by_name = model.pose("cylinder_bend", 0.5)
    for clip in (bend, 0, -2):
        np.testing.assert_array_equal(model.pose(clip, 0.5), by_name)
    assert model.pose(bend, [0.5]).shape == (1, 3, 4, 4) and model.pose(bend, np.array([])).shape == (0, 3, 4, 4)
    assert model.pose(bend, 1).shape == (3, 4, 4)
    with pytest.raises(KeyError, match="cylinder_bend"):
        model.pose("walk")
    with pytest.raises(IndexError):
        model.pose(2)
    with pytest.raises(ValueError, match="finite"):
        model.pose(0, float("nan"))
    with pytest.raises(ValueError, match="another model"):
        model.pose(bindpose.load(CYLINDER).clips[0])
    with pytest.raises(ValueError, match="dqs"):
        model.vertices(0, 0.0, method="dqz")
    with pytest.raises(ValueError, match="fast"):
        model.vertices(None, 0.0, fast=True)  # type: ignore[call-overload]
    with pytest.raises(IndexError):
        model.vertices(0, 0.0, mesh=1)
    with pytest.raises(ValueError):
        model.meshes[0].padded_influences(0)


def test_objects() -> None:
    model = bindpose.load(str(CYLINDER[0]), find_clips=True)
    assert [clip.name for clip in model.clips] == ["cylinder_bend", "cylinder_twist"]
    assert model.clips[0] == model.clip("cylinder_bend") != model.clips[1]
    assert len({model.meshes[0], model.meshes[0]}) == 1
    assert repr(model) == "<bindpose.Model 'cylinder': 3 joints, 1 meshes, 1423 vertices, 2 clips>"
    assert repr(model.clips[0]) == "<bindpose.Clip 'cylinder_bend': 3.000 s, 73 frames>"
    assert repr(model.meshes[0]) == "<bindpose.Mesh 'mesh 0': 1423 vertices, 2640 triangles>"
    with bindpose.load(CYLINDER) as same_model:
        assert same_model.joint_names == model.joint_names


def test_views_outlive_the_model() -> None:
    positions = bindpose.load(CYLINDER).meshes[0].positions
    copy = positions.copy()
    gc.collect()
    for _ in range(3):
        bindpose.load(WALK)
    np.testing.assert_array_equal(positions, copy)
    with pytest.raises(ValueError, match="read-only"):
        positions[0] = 0


def test_left_out(tmp_path: Path) -> None:
    (tmp_path / "cylinder.md5mesh").write_bytes(CYLINDER[0].read_bytes())
    (tmp_path / "broken.md5anim").write_text(CYLINDER[1].read_text().replace("hierarchy", "hierarchz"))
    left = bindpose.load(tmp_path / "cylinder.md5mesh", find_clips=True).left_out
    assert [(part.kind, part.name, part.reason.severity) for part in left] == [("clip", "broken", "error")]
    assert left[0].reason.location is not None and left[0].reason.location.path == str(tmp_path / "broken.md5anim")
    converted = run("convert", tmp_path / "cylinder.md5mesh", "-o", tmp_path / "out.glb")
    assert converted.returncode == 1 and str(left[0]) in converted.stdout.decode()


PLANTED = ROOT / "target/tmp/planted"


@pytest.mark.skipif(not PLANTED.exists(), reason="cargo test --test all faults:: writes the models")
def test_planted_faults() -> None:
    """Each fault of the models that a test of the program writes is named, and nothing else is."""
    expected = json.loads((PLANTED / "expected.json").read_text())
    assert len(expected) >= 60
    for of in expected:
        model = PLANTED / of["model"]
        said = {(found.code, found.severity) for found in bindpose.validate(model.parent)}
        files = json.loads(run("validate", "--profile", "all", "--format", "json", model.parent).stdout or "{}")
        known = [found for file in files.get("files", []) for found in file["findings"]]
        assert said == {(found["code"], found["severity"]) for found in known}, of
        assert set(of["validated"]) <= {code for code, _ in said}, of
        if of["refused"]:
            with pytest.raises(bindpose.ParseError) as refusal:
                bindpose.load(model, find_clips=True)
            assert {found.code for found in refusal.value.diagnostics} == set(of["found"]), of
            continue
        loaded = bindpose.load(model, find_clips=True)
        assert {part.reason.code for part in loaded.left_out} == set(of["left_out"]), of
        assert {found.code for found in loaded.diagnostics} == set(of["found"]), of
