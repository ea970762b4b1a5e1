"""Write a frame in any format of trimesh: ``python to_trimesh.py out.ply 0.5 body.md5mesh walk.md5anim``"""

from __future__ import annotations

import sys

import bindpose
import trimesh


def main(output: str, time: str, *files: str) -> None:
    model = bindpose.load(files)
    clip = model.clips[0] if model.clips else None
    parts = [
        # Without `process`, trimesh keeps the vertices as they are.
        trimesh.Trimesh(model.vertices(clip, float(time), mesh=mesh), mesh.triangles, process=False)
        for mesh in model.meshes
    ]
    trimesh.util.concatenate(parts).export(output)


if __name__ == "__main__":
    main(*sys.argv[1:])
