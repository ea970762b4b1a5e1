"""Skeletal animation in Doom 3's MD5 and DirectX ``.x`` as numpy arrays.

>>> import bindpose
>>> model = bindpose.load(["body.md5mesh", "walk.md5anim"])
>>> walk = model.clip("walk")
>>> model.pose(walk, 0.5)               # float64 (J, 4, 4): joints in model space, +Z up
>>> model.vertices(walk, walk.times)    # float64 (T, V, 3)
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from typing import Literal, TypeVar

from ._bindpose import Clip, Mesh, Model, __version__, engines, load, methods, record, verify
from ._bindpose import check as _check
from ._bindpose import convert_files as _convert_files
from ._types import (
    Conversion,
    ConvertError,
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
    WrittenClip,
)

__all__ = [
    "Clip",
    "Conversion",
    "ConvertError",
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
    "WrittenClip",
    "__version__",
    "assert_unchanged",
    "convert",
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


_Value = TypeVar("_Value")


def convert(
    paths: Paths,
    out: Path,
    *,
    format: Literal["glb", "gltf", "md5", "x", "iqm", "obj", "mdl", "md3"] | None = None,
    profile: str | None = None,
    find_clips: bool = True,
    overwrite: bool = False,
    scale: float | None = None,
    front: str | None = None,
    up: str | None = None,
    keep_axes: bool = False,
    influences: int | Literal["all"] | None = None,
    fps: float | None = None,
    keep_frames: bool = False,
    clip_fps: Mapping[str, float] | None = None,
    trim: bool = False,
    in_place: bool | str = False,
    loop: bool = False,
    clips: Sequence[str] | None = None,
    cut: Mapping[str, tuple[int, int] | tuple[str, int, int]] | None = None,
    join: Mapping[str, Sequence[str]] | None = None,
    clip_names: str | None = None,
    rest_clip: bool = False,
    rename: Mapping[str, str] | None = None,
    names_from: Path | None = None,
    order_from: Path | None = None,
    helpers: Mapping[str, int] | None = None,
    bake_scale: bool = False,
    normals: Literal["fix", "keep", "recompute"] | None = None,
    keep_alpha: bool = False,
    root: str | None = None,
    weld: bool = True,
    only_clips: bool = False,
    frames_from: Path | None = None,
    frame_groups: Mapping[str, str] | None = None,
    palette: Path | None = None,
    fullbright: bool = False,
    grouped: bool = False,
    tags: Mapping[str, str] | None = None,
    specular: bool = False,
    images: Literal["embedded", "beside", "none"] = "embedded",
    textures: Paths = (),
    encoding: Literal["text", "binary", "tzip", "bzip"] | None = None,
    time: float | None = None,
    report: Path | None = None,
) -> Conversion:
    """Write a model and its clips in another format: the same files as the command ``bindpose convert``.

    ``out`` is a file, or with ``format`` a folder. Files that exist are replaced with ``overwrite``. ``profile`` is the
    engine that will load the files, one of `engines()`: it sets limits, names and frame rate. A lone ``.md5mesh`` gets the
    fitting clips of its folder, unless ``find_clips`` is false.

    - Size and axes: ``scale`` multiplies all lengths; the axes ``front`` and ``up`` of the model (``x``, ``-x``, …) become +X and +Z before
      the format's axes apply, and ``keep_axes`` turns nothing.
    - Clips: ``clips`` are the names of those to write, an empty list for none. ``clip_fps`` plays clips at these frames
      per second, and ``fps`` resamples all, or plays them with ``keep_frames``. ``cut={"walk": (168, 187)}`` replaces the
      clips by ranges of frames of the only clip, or of one that is named: ``("all", 168, 187)``.
      ``join={"all": ["idle", "walk"]}`` makes one clip of several. ``clip_names`` is a pattern with ``{clip}`` and
      ``{model}``. ``in_place`` holds the roots and the joint that carries the model, or a joint by its name.
      ``rest_clip`` adds the rest pose, ``trim`` begins clips with their first key, and ``loop`` ends them with it.
    - Joints: ``rename`` maps old names to new ones, for joints and clips, with ``*`` on both sides for any text.
      ``names_from`` is the report of a conversion whose old names come back, also of materials and meshes. ``order_from``
      is an older ``.md5mesh`` whose order is kept, ``helpers`` adds helper joints, and ``bake_scale`` moves constant scale
      into vertices.
    - MD5: ``root`` is a joint to add above all others, ``only_clips`` leaves out the mesh, ``weld`` merges vertices that
      differ only in normals, and ``frames_from`` is a Quake model whose frames the clip gets, with ``frame_groups`` for
      groups called otherwise and ``palette`` for skins.
    - ``.mdl`` and ``.md3``: ``frames_from``, ``frame_groups`` and ``palette`` as for MD5; ``fullbright`` uses colours that glow
      in the dark, ``grouped`` makes clips groups that play by themselves, and ``tags`` names joints that become tags.
    - Images: ``textures`` are folders to search for them first.
    - glTF: ``images``, ``specular``, ``keep_alpha``, ``influences`` (4 if not given). ``.x``: ``encoding``.
      OBJ: ``time`` in seconds of the first of ``clips``.

    ``report`` is a file for the JSON that ``bindpose convert --json`` prints: losses with their numbers, names, and the
    findings of the validator for ``profile``, each with its joint, mesh, clip, vertex and frame. It is replaced if it exists.

    Raise `ConvertError` if the arguments do not fit the model or the format, `FileExistsError` without ``overwrite``, and
    what `load` raises. `validate` tells what engines do with the files.
    """
    arguments = {
        "format": format,
        "profile": profile,
        "find_clips": find_clips,
        "overwrite": overwrite,
        "scale": scale,
        "front": front,
        "up": up,
        "keep_axes": keep_axes,
        "influences": sys.maxsize if influences == "all" else influences,
        "fps": fps,
        "keep_frames": keep_frames,
        "clip_fps": _pairs(clip_fps),
        "trim": trim,
        "in_place": ("" if in_place else None) if isinstance(in_place, bool) else in_place,
        "close_loops": loop,
        "clips": None if clips is None else list(clips),
        "cut": _pairs(cut),
        "join": [(name, list(parts)) for name, parts in _pairs(join)],
        "clip_names": clip_names,
        "rest_clip": rest_clip,
        "rename": _pairs(rename),
        "names_from": names_from,
        "order_from": order_from,
        "helpers": _pairs(helpers),
        "bake_scale": bake_scale,
        "normals": normals,
        "keep_alpha": keep_alpha,
        "root": root,
        "weld": weld,
        "only_clips": only_clips,
        "frames_from": frames_from,
        "frame_groups": _pairs(frame_groups),
        "palette": palette,
        "fullbright": fullbright,
        "grouped": grouped,
        "tags": _pairs(tags),
        "specular": specular,
        "images": images,
        "textures": [textures] if isinstance(textures, (str, os.PathLike)) else list(textures),
        "encoding": encoding,
        "time": time,
        "report": report,
    }
    return _convert_files(paths, out, arguments)


def _pairs(values: Mapping[str, _Value] | None) -> list[tuple[str, _Value]]:
    return list(values.items()) if values else []


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
