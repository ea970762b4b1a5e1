"""Sample models, and what the native program says about them. ``$BINDPOSE`` is the program."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).parents[2]
DATA = ROOT / "data"
PROGRAM = os.environ.get("BINDPOSE", str(ROOT / "target/debug/bindpose"))
CORPUS = Path(os.environ.get("BINDPOSE_SHARED", ROOT.parent / "shared")) / "corpus"

CYLINDER = [DATA / "md5/cylinder.md5mesh", DATA / "md5/cylinder_bend.md5anim", DATA / "md5/cylinder_twist.md5anim"]
WALK = [DATA / "md5/mannequin_light.md5mesh", DATA / "md5/walk.md5anim"]
SETS = [
    CYLINDER,
    WALK,
    [DATA / "x/cylinder.x"],
    [DATA / "x/mannequin_light_tzip.x"],
    # Several meshes, and one with scaled joints.
    [CORPUS / "directx-sdk-samples/Media/Tiny/tiny.x"],
    [CORPUS / "VoxelLegends/mods/default/models/character.x"],
]
SETS = [files for files in SETS if all(file.exists() for file in files)]


def run(*arguments: object) -> subprocess.CompletedProcess[bytes]:
    """Runs the program."""
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True)


def dump(files: list[Path], *options: str) -> list[dict[str, Any]]:
    """Returns the records of a stage. Numbers stay the text that the program prints."""
    done = run("dump", *files, "--format", "json", *options)
    assert done.returncode == 0, done.stderr.decode()
    items: list[dict[str, Any]] = json.loads(done.stdout, parse_float=str)["items"]
    return items


def records(items: dict[str, Any] | list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    """Returns the records of a kind in a list, or in a record."""
    inside = items if isinstance(items, list) else items.get("items", [])
    return [item for item in inside if item["record"] == kind]


def printed(numbers: NDArray[np.floating] | list[float]) -> NDArray[np.str_]:
    """Returns numbers as the program prints them: nine decimals, no -0."""
    text = np.char.mod("%.9f", np.asarray(numbers, dtype=np.float64))
    return np.where(text == "-0.000000000", "0.000000000", text)


def same(numbers: NDArray[np.floating] | list[float], dumped: list[Any]) -> None:
    """Compares numbers with those of the program, in all of its decimals."""
    expected = np.asarray(dumped, dtype=np.str_).reshape(np.shape(numbers))
    np.testing.assert_array_equal(printed(numbers), expected)
