# SPDX-License-Identifier: GPL-3.0-or-later
"""The program bindpose: its location, and runs of it that keep Blender responsive."""

import json
import os
import subprocess
import threading
from pathlib import Path

import bpy

EXECUTABLE = "bindpose.exe" if os.name == "nt" else "bindpose"
# The program in the extension's zip, if it is the zip of a platform.
BUNDLED = str(Path(__file__).parent / "bin" / EXECUTABLE)
MISSING = "The program bindpose was not found. Install it, or set its path in the preferences of this extension"
# Windows opens no console for the program.
FLAGS = {"creationflags": 0x08000000} if os.name == "nt" else {}


class Failure(Exception):
    """Error that stops an operator. The text is for the user."""


class Preferences(bpy.types.AddonPreferences):
    bl_idname = __package__

    path: bpy.props.StringProperty(
        name="Program",
        description="The program bindpose. If empty: $BINDPOSE, then bin/ of this extension, then PATH",
        subtype="FILE_PATH",
    )

    def draw(self, context):
        self.layout.prop(self, "path")
        try:
            found = find()
            self.layout.label(text=f"{version(found)}: {found}", icon="CHECKMARK")
        except Failure as failure:
            self.layout.label(text=str(failure), icon="ERROR")


def candidates():
    """Yields all paths to try, in order of precedence, each with the setting in which the user chose it."""
    addon = bpy.context.preferences.addons.get(__package__)
    if addon and addon.preferences and addon.preferences.path:
        yield bpy.path.abspath(addon.preferences.path), "the preferences of this extension"
    if os.environ.get("BINDPOSE"):
        yield os.environ["BINDPOSE"], "the environment variable BINDPOSE"
    yield BUNDLED, None
    # shutil.which would also look in the current folder on Windows: that of a model or scene from the net.
    for folder in filter(os.path.isabs, os.get_exec_path()):
        yield os.path.join(folder, EXECUTABLE), None
    # A Blender that was not started from a shell does not have the shell's PATH.
    yield str(Path.home() / ".cargo" / "bin" / EXECUTABLE), None


def find():
    """Returns the path of the program. A path that the user chose must work."""
    for path, chosen_in in candidates():
        if path == BUNDLED and os.path.isfile(path) and not os.access(path, os.X_OK):
            # Blender unpacks files without their mode.
            os.chmod(path, 0o755)
        if os.path.isfile(path) and os.access(path, os.X_OK):
            version(path)
            return path
        if chosen_in:
            raise Failure(f"{path} is not a program; correct the path in {chosen_in}")
    raise Failure(MISSING)


VERSIONS = {}


def version(path):
    """Returns name and version of the program, such as "bindpose 0.1.0"."""
    key = path, os.path.getmtime(path)
    if key not in VERSIONS:
        try:
            answer = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=10, **FLAGS).stdout
        except (OSError, subprocess.TimeoutExpired) as error:
            raise Failure(f"{path} cannot be started: {error}") from error
        if not answer.startswith("bindpose "):
            raise Failure(f"{path} is another program; correct the path in the preferences of this extension")
        VERSIONS[key] = answer.strip()
    return VERSIONS[key]


class Run:
    """One run of the program in its own thread. Results are available when `is_done`."""

    def __init__(self, *arguments):
        self.out = self.err = ""
        self.code = None
        try:
            self.process = subprocess.Popen(
                [find(), *map(str, arguments)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                encoding="utf-8",
                errors="replace",
                **FLAGS,
            )
        except OSError as error:
            raise Failure(f"bindpose cannot be started: {error}") from error
        self.thread = threading.Thread(target=self._collect, daemon=True)
        self.thread.start()

    def _collect(self):
        self.out, self.err = self.process.communicate()
        self.code = self.process.returncode

    def is_done(self):
        return not self.thread.is_alive()

    def wait(self):
        self.thread.join()

    def stop(self):
        self.process.kill()
        self.thread.join()

    def report(self):
        """Returns the JSON that the program printed; `{}` if it printed none."""
        try:
            return json.loads(self.out)
        except ValueError:
            return {}

    def failure(self):
        """Returns the reason why there is no result."""
        errors = self.report().get("errors") or self.err.strip().splitlines()[:3]
        # Options are named as in the dialog.
        errors = [error.replace("--force replaces it", "Replace Files replaces it") for error in errors]
        return Failure("; ".join(errors) or f"bindpose ended with code {self.code}")


class Steps:
    """Mixin for operators whose work is a generator, `steps(context)`, that yields each `Run` it waits for.

    In a window the operator is modal, and Esc stops it. Without one it waits.
    """

    def execute(self, context):
        self._steps = self.steps(context)
        self._run = None
        if bpy.app.background or context.window is None:
            result = None
            while result is None:
                result = self._advance()
                if self._run:
                    self._run.wait()
            return result
        manager = context.window_manager
        self._timer = manager.event_timer_add(0.05, window=context.window)
        manager.modal_handler_add(self)
        context.workspace.status_text_set("bindpose is converting; Esc stops it")
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        if event.type == "ESC" and event.value == "PRESS":
            if self._run:
                self._run.stop()
            self._steps.close()
            self.report({"INFO"}, "Stopped; nothing was changed")
            return self._end(context, {"CANCELLED"})
        if event.type != "TIMER" or (self._run and not self._run.is_done()):
            return {"PASS_THROUGH"}
        result = self._advance()
        return {"PASS_THROUGH"} if result is None else self._end(context, result)

    def _advance(self):
        """Works up to the next run. Returns the operator's result at the end, and `None` before."""
        try:
            self._run = next(self._steps)
            return None
        except StopIteration:
            self._run = None
            return {"FINISHED"}
        except Failure as failure:
            return self._fail(str(failure))
        except RuntimeError as error:
            # An operator of Blender failed.
            return self._fail(str(error).strip())

    def _fail(self, text):
        self._run = None
        self.report({"ERROR"}, text)
        return {"CANCELLED"}

    def _end(self, context, result):
        context.window_manager.event_timer_remove(self._timer)
        context.workspace.status_text_set(None)
        for area in context.screen.areas if context.screen else ():
            area.tag_redraw()
        return result


def register():
    bpy.utils.register_class(Preferences)


def unregister():
    bpy.utils.unregister_class(Preferences)
