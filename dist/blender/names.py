# SPDX-License-Identifier: GPL-3.0-or-later
"""Names that Blender or an engine's format had to change, and the lists by which the old ones come back."""

import json
import os

# Custom property of bones, materials and actions: the name in the file, and the one that Blender made of it.
NAME = "bindpose_name"


def mark(document):
    """Adds the names of joints and materials to a glTF document as extras, which Blender makes custom properties of."""
    joints = {joint for skin in document.get("skins", []) for joint in skin["joints"]}
    for one in [document["nodes"][joint] for joint in joints] + document.get("materials", []):
        if "name" in one:
            one.setdefault("extras", {})[NAME] = one["name"]


def keep(owner, name):
    """Remembers the file's name of a bone, material or action if Blender changed it."""
    if name is not None and name != owner.name:
        owner[NAME] = {"from": name, "to": owner.name}
    elif NAME in owner:
        del owner[NAME]


def changed(armature, meshes, clips):
    """Returns the list of names that Blender changed, as `convert --json` reports names; `None` if it changed none."""
    materials = {material for mesh in meshes for material in mesh.data.materials if material}
    owners = {"joint": armature.pose.bones if armature else (), "clip": clips, "object": materials}
    losses = []
    for what, all_of_them in owners.items():
        known = [dict(one[NAME]) for one in all_of_them if NAME in one and one[NAME]["to"] == one.name]
        if known:
            losses.append({"what": what, "names": known})
    return {"losses": losses} if losses else None


def list_of(model):
    """Returns the path of the list beside an exported model."""
    return f"{model}.names.json"


def save(path, names):
    """Writes a list, or removes an older one if there is nothing to list."""
    if names:
        with open(path, "w", encoding="utf-8") as file:
            json.dump(names, file, ensure_ascii=False, indent=1)
    elif os.path.exists(path):
        os.remove(path)
