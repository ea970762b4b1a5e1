"""Errors, validation, snapshots, threads."""

from __future__ import annotations

import dataclasses
import inspect
import json
import multiprocessing
import os
import pickle
import threading
from pathlib import Path

import bindpose
import numpy as np
import pytest
from support import CYLINDER, WALK, run


def test_errors(tmp_path: Path) -> None:
    bad = tmp_path / "bad.md5mesh"
    text = CYLINDER[0].read_text().replace('"upper"', '"upper" nonsense', 1)
    bad.write_text(text)
    with pytest.raises(bindpose.ParseError) as broken:
        bindpose.load(bad)
    line = next(number for number, line in enumerate(text.splitlines(), 1) if "nonsense" in line)
    location = broken.value.location
    assert location is not None and (location.path, location.line) == (str(bad), line)
    assert text.splitlines()[line - 1].expandtabs(1)[location.column - 1 :].startswith("nonsense")
    assert isinstance(broken.value, ValueError) and str(broken.value).startswith(f"{bad}:{line}:")
    assert pickle.loads(pickle.dumps(broken.value)).location == location
    with pytest.raises(FileNotFoundError) as missing:
        bindpose.load(tmp_path / "nothing.md5mesh")
    assert missing.value.filename == str(tmp_path / "nothing.md5mesh")
    with pytest.raises(IsADirectoryError):
        bindpose.load(tmp_path)
    with pytest.raises(bindpose.MismatchError):
        bindpose.load([CYLINDER[0], WALK[0]])
    with pytest.raises(TypeError):
        bindpose.load(3)  # type: ignore[arg-type]


def test_validate(tmp_path: Path) -> None:
    report = bindpose.validate(CYLINDER, engines=["doom3", "vkquake"])
    assert not report.errors and set(report.verdicts[str(CYLINDER[0])]) == {"doom3", "vkquake"}
    broken = tmp_path / "broken.md5mesh"
    broken.write_text(CYLINDER[0].read_text().replace("numverts", "numvertz", 1))
    report = bindpose.validate(broken, "doom3,vkquake")
    assert not any(verdict.loads for verdict in report.verdicts[str(broken)].values())
    printed = run("validate", broken, "--profile", "doom3,vkquake", "--format", "json")
    (file,) = json.loads(printed.stdout)["files"]
    expected = [(found["code"], found["severity"], found["message"], found["line"]) for found in file["findings"]]
    assert expected and expected == [
        (found.code, found.severity, found.message, found.location.line) for found in report if found.location
    ]
    location = dataclasses.asdict(report[0])["location"]
    assert location["path"] == str(broken) and location["line"] > 1
    assert repr(report).startswith("<bindpose.Report: 1 files, ")
    with pytest.raises(ValueError, match="doom3"):
        bindpose.validate(broken, "doom4")
    with pytest.raises(FileNotFoundError) as missing:
        bindpose.validate(tmp_path / "nothing")
    assert missing.value.filename == str(tmp_path / "nothing")
    assert "doom3" in bindpose.engines()


def test_snapshots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI", raising=False)
    snapshot = tmp_path / "cylinder.snapshot"
    with pytest.raises(FileNotFoundError):
        bindpose.verify(CYLINDER, snapshot)
    bindpose.assert_unchanged(CYLINDER, snapshot)
    bindpose.assert_unchanged(CYLINDER, snapshot)
    anim = tmp_path / "cylinder_bend.md5anim"
    text = CYLINDER[1].read_text()
    frame = text.index("frame 30 {")
    anim.write_text(text[:frame] + text[frame:].replace("0.", "0.1", 1))
    changed = [CYLINDER[0], anim, CYLINDER[2]]
    with pytest.raises(AssertionError, match="(?s)cylinder_bend.*frame 30 .*'upper'"):
        bindpose.assert_unchanged(changed, snapshot)
    monkeypatch.setenv("BINDPOSE_SNAPSHOTS", "update")
    bindpose.assert_unchanged(changed, snapshot)
    assert bindpose.verify(changed, snapshot) == ""
    monkeypatch.delenv("BINDPOSE_SNAPSHOTS")
    monkeypatch.setenv("CI", "true")
    with pytest.raises(AssertionError, match="no snapshot"):
        bindpose.assert_unchanged(CYLINDER, tmp_path / "missing.snapshot")
    snapshot.write_bytes(b"not a snapshot")
    with pytest.raises(bindpose.SnapshotError):
        bindpose.verify(CYLINDER, snapshot)
    assert bindpose.record(CYLINDER, snapshot) == 2


def test_the_gil_is_released() -> None:
    model = bindpose.load(WALK)
    counted = 0
    thread = threading.Thread(target=lambda: model.vertices(0, np.linspace(0, 1, 400), method="dqs"))
    thread.start()
    while thread.is_alive():
        counted += 1
    # With the GIL held, this loop would run once.
    assert counted > 1000


def test_documentation() -> None:
    public = [getattr(bindpose, name) for name in bindpose.__all__ if not name.startswith("_")]
    for owner in (bindpose.Model, bindpose.Mesh, bindpose.Clip):
        public += [member for name, member in inspect.getmembers(owner) if not name.startswith("_")]
    assert len(public) >= 50
    assert [member for member in public if not inspect.getdoc(member)] == []
    parameters = inspect.signature(bindpose.Model.vertices).parameters.values()
    assert [str(parameter.default) for parameter in parameters][1:] == ["None", "0.0", "linear", "None", "False"]


def in_child(_: int) -> tuple[int, tuple[int, ...]]:
    return len(bindpose.validate(WALK)), bindpose.load(WALK).vertices(0, 0.1, fast=True).shape


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_has_threads_of_its_own() -> None:
    here = in_child(0)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        # Without them the children would wait for ever; half a minute is a limit, not a measurement.
        assert pool.map_async(in_child, range(4)).get(timeout=30) == [here] * 4
