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
    """Returns the names that Blender changed, in the form in which `convert --json` lists them among the losses."""
    materials = {material for mesh in meshes for material in mesh.data.materials if material}
    owners = {"joint": armature.pose.bones if armature else (), "clip": clips, "object": materials}
    losses = []
    for what, all_of_them in owners.items():
        known = [dict(one[NAME]) for one in all_of_them if NAME in one and one[NAME]["to"] == one.name]
        if known:
            losses.append({"what": what, "names": known})
    return losses


def list_of(model):
    """Returns the path of the list beside an exported model."""
    return f"{model}.names.json"


def save(path, losses):
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"losses": losses}, file, ensure_ascii=False, indent=1)


def save_beside(model, report):
    """Writes the list of an export beside the model, or removes an older one if there is nothing to list.

    Clips of an older export that were not written again keep their names.
    """
    path, losses = list_of(model), [loss for loss in report["losses"] if loss.get("names")]
    written = {clip["name"] for clip in report["clips"]}
    if others := [name for name in clips_in(path) if written.isdisjoint(name.values())]:
        losses.append({"what": "clip", "names": others})
    if losses:
        save(path, losses)
    elif os.path.exists(path):
        os.remove(path)


def clips_in(path):
    """Returns the names of clips in a list; none if it does not exist or is damaged."""
    try:
        with open(path, encoding="utf-8") as file:
            return [name for loss in json.load(file)["losses"] if loss["what"] == "clip" for name in loss["names"]]
    except (OSError, ValueError, KeyError, TypeError):
        return []
