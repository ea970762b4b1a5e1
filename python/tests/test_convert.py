"""Conversions beside those of the native program."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import bindpose
import pytest
from support import CYLINDER, DATA, WALK, run

X = [DATA / "x/cylinder.x"]


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize(
    ("paths", "name", "options", "arguments"),
    [
        (WALK, "a.glb", [], {}),
        (WALK[:1], "a.gltf", ["--images", "none"], {"images": "none"}),
        (WALK[:1], "a.gltf", ["--no-clips"], {"clips": []}),
        (X, "a.md5mesh", ["--profile", "doom3", "--scale", 39.37], {"profile": "doom3", "scale": 39.37}),
        (X, "a.x", ["--encoding", "bzip"], {"encoding": "bzip"}),
        (CYLINDER, "a.x", ["--profile", "luanti", "--clip-fps", "cylinder_bend=12"],
         {"profile": "luanti", "clip_fps": {"cylinder_bend": 12}}),
        (CYLINDER, "a.iqm", ["--clip", "cylinder_twist", "--front=y", "--fps", 10, "--rename", "*er=*"],
         {"clips": ["cylinder_twist"], "front": "y", "fps": 10, "rename": {"*er": "*"}}),
        (CYLINDER, "a.md5mesh", ["--join-clips", "all=cylinder_bend,cylinder_twist", "--clip-names", "{model}_{clip}"],
         {"join": {"all": ["cylinder_bend", "cylinder_twist"]}, "clip_names": "{model}_{clip}"}),
        (CYLINDER, "a.glb", ["--clips", "part=cylinder_bend:2..5", "--in-place", "--normals", "recompute"],
         {"cut": {"part": ("cylinder_bend", 2, 5)}, "in_place": True, "normals": "recompute"}),
        (CYLINDER, "a.mdl", ["--grouped", "--fullbright"], {"grouped": True, "fullbright": True}),
        (CYLINDER, "a.md3", ["--tag", "upper=tag_head", "--fps", 20], {"tags": {"upper": "tag_head"}, "fps": 20}),
        (CYLINDER, "a.obj", ["--clip", "cylinder_bend", "--time", 0.25], {"clips": ["cylinder_bend"], "time": 0.25}),
    ],
)  # fmt: skip
def test_files_are_the_programs(
    tmp_path: Path, paths: list[Path], name: str, options: list[object], arguments: dict[str, Any]
) -> None:
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    theirs.mkdir()
    printed = run("convert", *paths, "-o", theirs / name, *options)
    assert printed.returncode in (0, 1), printed.stderr.decode()
    converted = bindpose.convert(paths, ours / name, **arguments)
    assert converted.files[0] == ours / name and {path.name for path in converted.files} == set(files(theirs))
    assert files(ours) == files(theirs)
    text = printed.stdout.decode().replace(str(theirs), str(ours))
    assert all(f"  {loss}\n" in text for loss in converted.losses + converted.notes)
    assert bool(converted.losses) != ("nothing was lost" in text)


def test_report_is_the_programs_and_names_come_back(tmp_path: Path) -> None:
    named, folder = tmp_path / "named.x", tmp_path / "out"
    named.write_bytes(X[0].read_bytes().replace(b"upper", b"H\xfcfte"))
    printed = run("convert", named, "-o", folder / "a.md5mesh", "--profile", "doom3", "--json")
    expected = json.loads(printed.stdout)
    report = tmp_path / "report.json"
    bindpose.convert(named, folder / "a.md5mesh", profile="doom3", overwrite=True, report=report)
    assert json.loads(report.read_text(encoding="utf-8")) == expected and expected["validation"]["files"]
    assert [(name["from"], name["to"]) for name in expected["names"]] == [("H\xfcfte", "H_fte")]
    back = bindpose.convert(folder / "a.md5mesh", folder / "a.glb", names_from=report, rename={"low*": "*"})
    assert back.names == [("H_fte", "H\xfcfte"), ("lower", "er")]
    with pytest.raises(bindpose.ConvertError, match="is not a report that convert --json printed"):
        bindpose.convert(named, folder / "b.glb", names_from=named)


def test_images_are_searched_in_textures(tmp_path: Path) -> None:
    alone, textures = tmp_path / "alone.x", tmp_path / "textures"
    alone.write_bytes(X[0].read_bytes())
    textures.mkdir()
    (textures / "cylinder.png").write_bytes((DATA / "x/cylinder.png").read_bytes())
    assert run("convert", alone, "-o", tmp_path / "theirs.glb", "--textures", textures).returncode == 0
    converted = bindpose.convert(alone, tmp_path / "ours.glb", textures=textures)
    assert not any("image" in loss for loss in converted.losses)
    theirs = (tmp_path / "theirs.glb").read_bytes()
    assert (tmp_path / "ours.glb").read_bytes() == theirs and b"\x89PNG" in theirs
    with pytest.raises(ValueError, match="nothing is not a folder"):
        bindpose.convert(alone, tmp_path / "b.glb", textures=[tmp_path / "nothing"])


def test_result_and_refusals(tmp_path: Path) -> None:
    converted = bindpose.convert(str(CYLINDER[0]), tmp_path, format="glb", rename={"upper": "arm"}, find_clips=True)
    assert converted.files == [tmp_path / "cylinder.glb"] and converted.names == [("upper", "arm")]
    assert [(clip.name, clip.fps, clip.source_fps) for clip in converted.clips] == [
        (clip.name, clip.frame_rate, clip.frame_rate) for clip in bindpose.load(CYLINDER[0], find_clips=True).clips
    ]
    assert "arm" in bindpose.load(converted.files).joint_names
    before = files(tmp_path)
    with pytest.raises(FileExistsError, match="cylinder.glb; overwrite=True replaces it"):
        bindpose.convert(CYLINDER, tmp_path / "cylinder.glb")
    assert files(tmp_path) == before
    bindpose.convert(CYLINDER, tmp_path / "cylinder.glb", overwrite=True)
    assert files(tmp_path) != before
    for arguments, error, message in [
        ({"clips": ["run"]}, bindpose.ConvertError, "no clip is called 'run'; there are: cylinder_bend"),
        ({"in_place": "uper"}, bindpose.ConvertError, "did you mean 'upper'?"),
        ({"encoding": "tzip"}, bindpose.ConvertError, "--encoding has no meaning for .glb files"),
        ({"profile": "doom3"}, bindpose.ConvertError, "does not read .glb files"),
        ({"profile": "doom4"}, ValueError, "no engine is called 'doom4'"),
        ({"scale": 0.0}, ValueError, "scale=0: expected a positive number"),
        ({"images": "all"}, ValueError, "'all' is none of embedded, beside, none"),
        ({"front": "w"}, ValueError, "expected x, -x, y, -y, z or -z"),
        ({"format": "fbx"}, ValueError, "no format is called 'fbx'"),
    ]:
        with pytest.raises(error) as refused:
            bindpose.convert(CYLINDER, tmp_path / "b.glb", **arguments)  # type: ignore[arg-type]
        assert message in str(refused.value)
    with pytest.raises(ValueError, match="cannot tell the format"):
        bindpose.convert(CYLINDER, tmp_path / "b")
    with pytest.raises(FileNotFoundError):
        bindpose.convert(tmp_path / "nothing.x", tmp_path / "b.glb")
    assert set(files(tmp_path)) == {"cylinder.glb"}
