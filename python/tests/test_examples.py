"""Runs the examples."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import bindpose
import numpy as np
import trimesh
from support import CYLINDER, ROOT, WALK

EXAMPLES = ROOT / "python/examples"


def example(name: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(EXAMPLES / name), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True)


def test_curve(tmp_path: Path) -> None:
    done = example("curve.py", tmp_path / "curve.png", "hand_l", *WALK)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "curve.png").read_bytes().startswith(b"\x89PNG")


def test_frames(tmp_path: Path) -> None:
    for file in CYLINDER:
        (tmp_path / file.name).write_bytes(file.read_bytes())
    environment = {key: value for key, value in os.environ.items() if key != "CI"} | {"MODELS": str(tmp_path)}
    command = [sys.executable, "-m", "pytest", "--quiet", "-p", "no:cacheprovider", str(EXAMPLES / "test_frames.py")]

    def outcome() -> tuple[int, str]:
        done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=tmp_path)
        return done.returncode, done.stdout

    assert outcome()[0] == 0 and (tmp_path / "cylinder.snapshot").exists()
    assert outcome()[0] == 0
    anim = tmp_path / "cylinder_bend.md5anim"
    text = anim.read_text()
    frame = text.index("frame 30 {")
    anim.write_text(text[:frame] + text[frame:].replace("0.", "0.1", 1))
    code, report = outcome()
    assert code == 1 and "frame 30" in report


def test_methods() -> None:
    done = example("methods.py", CYLINDER[0], CYLINDER[2])
    assert done.returncode == 0, done.stderr
    # Twisted by 180 degrees, the linear sum loses the radius of 4 units that dual quaternions keep.
    found = re.search(r"largest difference ([\d.]+)", done.stdout)
    assert found and 3.5 < float(found[1]) < 8
    assert "upper: 0." in done.stdout


def test_to_trimesh(tmp_path: Path) -> None:
    done = example("to_trimesh.py", tmp_path / "frame.ply", 0.5, *WALK)
    assert done.returncode == 0, done.stderr
    read: Any = trimesh.load(tmp_path / "frame.ply", process=False)
    model = bindpose.load(WALK)
    np.testing.assert_allclose(read.vertices, model.vertices("walk", 0.5), atol=1e-5)
    assert len(read.faces) == sum(len(mesh.triangles) for mesh in model.meshes)


def test_batch(tmp_path: Path) -> None:
    done = example("batch.py", "doom3", *CYLINDER)
    assert (done.returncode, done.stdout) == (0, "3 files, 0 do not load\n")
    (tmp_path / "broken.md5mesh").write_text(CYLINDER[0].read_text().replace("numverts", "numvertz", 1))
    done = example("batch.py", "doom3,vkquake", tmp_path)
    assert done.returncode == 1 and "error[" in done.stdout and done.stdout.endswith("1 files, 1 do not load\n")
