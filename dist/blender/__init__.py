# SPDX-License-Identifier: GPL-3.0-or-later
"""Imports MD5 and DirectX .x, and exports both for an engine.

The program bindpose converts between these formats and glTF, which Blender reads and writes itself.
"""

from . import export_models, findings, import_models, panel, program

MODULES = (program, findings, import_models, export_models, panel)


def register():
    for module in MODULES:
        module.register()


def unregister():
    for module in reversed(MODULES):
        module.unregister()
