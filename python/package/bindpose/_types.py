"""Plain classes and exceptions; no compiled code."""

from __future__ import annotations

import pathlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import TYPE_CHECKING, TypeAlias, Union

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Path: TypeAlias = Union[str, "PathLike[str]"]
Paths: TypeAlias = Union[Path, Sequence[Path]]
Times: TypeAlias = Union[float, Sequence[float], "NDArray[np.floating]"]


@dataclass(frozen=True, slots=True)
class Location:
    """A position in a file. Line and column (in bytes) count from 1."""

    path: str
    line: int
    column: int
    object: str | None = None
    """The object there: ``mesh[2].weight[117]``."""

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """A fault that loading repaired or refused."""

    code: str
    severity: str
    """``hint``, ``info``, ``warning`` or ``error``."""
    message: str
    location: Location | None
    notes: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        place = f"{self.location}: " if self.location else ""
        return f"{place}{self.severity}[{self.code}]: {self.message}"


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A part that the files contain or name, but the model lacks."""

    kind: str
    """``clip``, ``mesh``, ``image``, ``material parameter``, ``camera``, ``light``, ``morph``, ``track``,
    ``extension``, ``file of examples`` or ``part of the file``."""
    name: str
    reason: Diagnostic
    """An error means that a file is at fault."""
    text: str
    """Sentence that says all of this."""

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Finding(Diagnostic):
    """A kind of fault in one file, with its first position."""

    count: int = 1
    """Number of positions with this fault."""
    help: str = ""
    """What an author can do about it."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What an engine does with a file."""

    effect: str
    """``fine``, ``note``, ``wrong`` (loads, but looks different), ``refuses``, ``drops`` (to the console) or ``exits``."""
    message: str | None = None
    """The engine's own message, if it does not load the file."""
    line: int | None = None
    """Line that the engine prints with it."""
    code: str | None = None
    """Code of the finding behind the effect."""

    @property
    def loads(self) -> bool:
        """True if the engine uses the file."""
        return self.effect in ("fine", "note", "wrong")


class Report(list[Finding]):
    """Findings, and the verdict of each engine by file: ``report.verdicts[path][engine]``."""

    def __init__(
        self, findings: Iterable[Finding] = (), verdicts: dict[str, dict[str, Verdict]] | None = None
    ) -> None:
        super().__init__(findings)
        self.verdicts: dict[str, dict[str, Verdict]] = verdicts or {}

    @property
    def errors(self) -> list[Finding]:
        """The findings that are errors for one of the engines."""
        return [found for found in self if found.severity == "error"]

    def __repr__(self) -> str:
        return f"<bindpose.Report: {len(self.verdicts)} files, {len(self)} findings, {len(self.errors)} errors>"


@dataclass(frozen=True, slots=True)
class WrittenClip:
    """A clip as `convert` wrote it."""

    name: str
    fps: float
    """Frames per second."""
    frames: int
    """Number of frames at that rate, including the last one."""
    source_fps: float | None = None
    """Frames per second in the source, if the clip was in it."""


@dataclass(frozen=True, slots=True)
class Conversion:
    """Result of `convert`."""

    files: list[pathlib.Path]
    """Written files, the model first."""
    losses: list[str]
    """What was not read, and what the files lack or change, with numbers: a sentence each."""
    notes: list[str]
    """Effects of the arguments that are no losses."""
    names: list[tuple[str, str]]
    """Old and new names of joints and clips that changed, in the order of the changes."""
    clips: list[WrittenClip]


class Error(Exception):
    """All errors of bindpose but `OSError`, `KeyError`, `IndexError` and `ValueError` of arguments."""


class ParseError(Error, ValueError):
    """A file breaks its format."""

    location: Location | None
    """Position of the fault."""
    diagnostic: Diagnostic | None
    """The fault."""
    diagnostics: list[Diagnostic]
    """Everything that was found up to the fault, which is the last."""

    def __init__(self, diagnostics: Iterable[Diagnostic] = ()) -> None:
        self.diagnostics = list(diagnostics)
        self.diagnostic = self.diagnostics[-1] if self.diagnostics else None
        self.location = self.diagnostic.location if self.diagnostic else None
        super().__init__(str(self.diagnostic) if self.diagnostic else "a file is at fault")

    def __reduce__(self) -> tuple[type, tuple[list[Diagnostic]]]:
        return (type(self), (self.diagnostics,))


class MismatchError(Error, ValueError):
    """The files do not make one model."""


class MemoryLimitError(Error, MemoryError):
    """A file asks for more memory than the limit."""


class MethodError(Error, ValueError):
    """A skinning method cannot show this model."""


class ConvertError(Error, ValueError):
    """A model cannot be converted. Messages name options of the program: ``--clip-fps`` is the argument ``clip_fps``."""


class SnapshotError(Error, ValueError):
    """A file is no snapshot, or it is damaged."""
