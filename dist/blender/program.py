# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs of bindpose in a process of their own, which keep Blender responsive: by the wheel in the extension, or by the program."""

import json
import os
import re
import subprocess
import sys
import threading
from pathlib import Path

import bpy

EXECUTABLE = "bindpose.exe" if os.name == "nt" else "bindpose"
WORKER = str(Path(__file__).with_name("worker.py"))
MISSING = (
    "The program bindpose was not found, and this extension has no wheel for this system. "
    "Install the program, or set its path in the preferences of this extension"
)
# Windows opens no console for the program.
FLAGS = {"creationflags": 0x08000000} if os.name == "nt" else {}


class Failure(Exception):
    """Error that stops an operator. The text is for the user."""


class Preferences(bpy.types.AddonPreferences):
    bl_idname = __package__

    path: bpy.props.StringProperty(
        name="Program",
        description="The program bindpose. If empty: $BINDPOSE, then the wheel of this extension, then PATH",
        subtype="FILE_PATH",
    )

    def draw(self, context):
        self.layout.prop(self, "path")
        try:
            found = find()
            self.layout.label(text=f"{version(found)}: {found[-1]}", icon="CHECKMARK")
        except Failure as failure:
            self.layout.label(text=str(failure), icon="ERROR")


def chosen():
    """Yields the paths of programs that the user set, each with the setting."""
    addon = bpy.context.preferences.addons.get(__package__)
    if addon and addon.preferences and addon.preferences.path:
        yield bpy.path.abspath(addon.preferences.path), "the preferences of this extension"
    if os.environ.get("BINDPOSE"):
        yield os.environ["BINDPOSE"], "the environment variable BINDPOSE"


def installed():
    """Yields the paths at which a program may be, in order of precedence."""
    # shutil.which would also look in the current folder on Windows: that of a model or scene from the net.
    for folder in filter(os.path.isabs, os.get_exec_path()):
        yield os.path.join(folder, EXECUTABLE)
    # A Blender that was not started from a shell does not have the shell's PATH.
    yield str(Path.home() / ".cargo" / "bin" / EXECUTABLE)


def wheel():
    """Returns the folder in which Blender unpacks wheels of extensions. No other has a `bindpose` that may run."""
    local = Path(bpy.utils.user_resource("EXTENSIONS"), ".local")
    return local / "lib" / f"python{sys.version_info.major}.{sys.version_info.minor}" / "site-packages"


def find():
    """Returns the start of the command line: a program that the user chose, else the wheel, else an installed program."""
    for path, setting in chosen():
        if not is_program(path):
            raise Failure(f"{path} is not a program; correct the path in {setting}")
        version((path,))
        return (path,)
    missing = Failure(MISSING)
    if (wheel() / "bindpose").is_dir():
        command = sys.executable, "-I", WORKER, str(wheel())
        try:
            version(command)
            return command
        except Failure as failure:
            missing = failure
    for path in filter(is_program, installed()):
        version((path,))
        return (path,)
    raise missing


def is_program(path):
    return os.path.isfile(path) and os.access(path, os.X_OK)


VERSIONS = {}


def version(command):
    """Returns name and version of a program or wheel, such as "bindpose 0.1.0"."""
    key = command, os.path.getmtime(command[-1])
    if key not in VERSIONS:
        try:
            run = [*command, "--version"]
            answer = subprocess.run(run, capture_output=True, text=True, errors="replace", timeout=10, **FLAGS)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise Failure(f"{command[-1]} cannot be started: {error}") from error
        VERSIONS[key] = answer.stdout.strip(), answer.stderr.strip().rpartition("\n")[2]
    answer, error = VERSIONS[key]
    if answer.startswith("bindpose "):
        return answer
    if len(command) > 1:
        raise Failure(f"The wheel of this extension does not work here: {error}")
    raise Failure(f"{command[0]} is another program; correct the path in the preferences of this extension")


# Options of the program that are not called like the arguments of `bindpose.convert`.
OPTIONS = {"clips": "no-clips", "join": "join-clips", "keep_frames": "frames=keep", "names_from": "rename", "overwrite": "force"}


def options(arguments):
    """Yields the options of the program for arguments of `bindpose.convert`."""
    for name, value in arguments.items():
        option = "--" + OPTIONS.get(name, name).replace("_", "-")
        if value is True or value == []:
            yield option
        elif isinstance(value, dict):
            for key, one in value.items():
                yield f"{option}={key}={','.join(one) if isinstance(one, list) else one}"
        else:
            yield f"{option}={value}"


def command(folder, paths, out, arguments):
    """Returns the command line of a conversion that prints the report of `bindpose convert --json`. It may use `folder`."""
    start = find()
    if len(start) > 1:
        return [*start, json.dumps([paths, out, {**arguments, "report": os.path.join(folder, "report.json")}])]
    return [*start, "convert", *paths, "-o", out, "--json", *options(arguments)]


class Run:
    """One conversion in a process of its own. Results are available when `is_done`.

    Arguments are those of `bindpose.convert`, and a folder for temporary files.
    """

    def __init__(self, folder, paths, out, arguments):
        self.out = self.err = ""
        self.code = None
        try:
            self.process = subprocess.Popen(
                command(folder, paths, out, arguments),
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
        """Returns the JSON that was printed; `{}` if there is none."""
        try:
            return json.loads(self.out)
        except ValueError:
            return {}

    def failure(self):
        """Returns the reason why there is no result."""
        errors = self.report().get("errors") or self.err.strip().splitlines()[:3]
        # Options are named as in the dialog.
        errors = [re.sub("(--force|overwrite=True) replaces it", "Replace Files replaces it", error) for error in errors]
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
