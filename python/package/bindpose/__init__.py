"""Skeletal animation in Doom 3's MD5 and DirectX ``.x`` as numpy arrays.

>>> import bindpose
>>> model = bindpose.load(["body.md5mesh", "walk.md5anim"])
>>> walk = model.clip("walk")
>>> model.pose(walk, 0.5)               # float64 (J, 4, 4): joints in model space, +Z up
>>> model.vertices(walk, walk.times)    # float64 (T, V, 3)
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from ._bindpose import Clip, Mesh, Model, __version__, engines, load, methods, record, verify
from ._bindpose import check as _check
from ._types import (
    Diagnostic,
    Error,
    Finding,
    LeftOut,
    Location,
    MemoryLimitError,
    MethodError,
    MismatchError,
    ParseError,
    Path,
    Paths,
    Report,
    SnapshotError,
    Verdict,
)

__all__ = [
    "Clip",
    "Diagnostic",
    "Error",
    "Finding",
    "LeftOut",
    "Location",
    "MemoryLimitError",
    "Mesh",
    "MethodError",
    "MismatchError",
    "Model",
    "ParseError",
    "Report",
    "SnapshotError",
    "Verdict",
    "__version__",
    "assert_unchanged",
    "engines",
    "load",
    "methods",
    "record",
    "validate",
    "verify",
]


def validate(paths: Paths, engines: str | Sequence[str] = "all") -> Report:
    """Check files, folders with everything below them, archives and patterns for engines.

    ``engines`` are names of `engines()`, as a list or separated by commas, or ``all``. Return the findings, and with
    ``report.verdicts[path][engine]`` what each engine does. A file that cannot be read is a finding. Raise `ValueError`
    for an unknown engine, `FileNotFoundError` for a path that does not exist.
    """
    return Report(*_check(paths, engines.split(",") if isinstance(engines, str) else list(engines)))


def assert_unchanged(paths: Paths, snapshot: Path) -> None:
    """For pytest: raise `AssertionError` with the first difference if a frame differs from ``snapshot``.

    A missing snapshot is recorded, unless the environment variable ``CI`` is set: then it is an error. With
    ``BINDPOSE_SNAPSHOTS=update`` the present frames replace those that differ.
    """
    __tracebackhide__ = True
    updates = os.environ.get("BINDPOSE_SNAPSHOTS") == "update"
    if not os.path.exists(snapshot):
        if os.environ.get("CI", "") not in ("", "0", "false") and not updates:
            raise AssertionError(f"there is no snapshot {os.fspath(snapshot)}: run the test and commit the file")
        record(paths, snapshot)
    elif text := verify(paths, snapshot):
        if not updates:
            raise AssertionError(f"{os.fspath(snapshot)} differs\n{text}")
        record(paths, snapshot)
