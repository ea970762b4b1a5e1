"""Compare two skinning methods on a clip, in cells as for a notebook: ``python methods.py body.md5mesh walk.md5anim``"""

# %% The model
from __future__ import annotations

import sys

import bindpose
import numpy as np

model = bindpose.load(sys.argv[1:])
clip = model.clips[0]
print(model, clip)

# %% Vertices of both methods at every frame: (T, V, 3)
linear = model.vertices(clip, clip.times)
dual = model.vertices(clip, clip.times, method="dqs")

# %% Where they differ most
distance = np.linalg.norm(linear - dual, axis=2)
frame, vertex = np.unravel_index(distance.argmax(), distance.shape)
size = np.ptp(linear[frame], axis=0).max()
print(f"largest difference {distance.max():.4f}, {distance.max() / size:.2%} of the model, at frame {frame}, vertex {vertex}")

# %% The joints that pull this vertex
start = 0
for mesh in model.meshes:
    count = len(mesh.positions)
    if start <= vertex < start + count:
        first, last = mesh.influence_starts[vertex - start : vertex - start + 2]
        for slot, weight in zip(mesh.influence_slots[first:last], mesh.influence_weights[first:last]):
            print(f"  {model.joint_names[mesh.bind_joints[slot]]}: {weight:.3f}")
    start += count
