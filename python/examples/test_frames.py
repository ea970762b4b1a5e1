"""A pytest that fails when a frame of a model changes. Set ``MODELS`` to your folder; commit the snapshots that the first run writes.

``BINDPOSE_SNAPSHOTS=update pytest`` accepts the present frames.
"""

from __future__ import annotations

import os
from pathlib import Path

import bindpose
import pytest

MODELS = Path(os.environ.get("MODELS", "models"))


@pytest.mark.parametrize("mesh", sorted(MODELS.glob("*.md5mesh")), ids=lambda mesh: mesh.stem)
def test_frames(mesh: Path) -> None:
    # The clips of the folder that fit the mesh are recorded with it.
    bindpose.assert_unchanged(mesh, mesh.with_suffix(".snapshot"))
