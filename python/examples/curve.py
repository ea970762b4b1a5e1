"""Plot the height of a joint over a clip: ``python curve.py curve.png hand_l body.md5mesh walk.md5anim``"""

from __future__ import annotations

import sys

import bindpose
import matplotlib.pyplot as plt
import numpy as np


def main(output: str, joint: str, *files: str) -> None:
    model = bindpose.load(files)
    number = model.joint_names.index(joint)
    figure, axes = plt.subplots()
    for clip in model.clips:
        # Four times between the frames show how the engine interpolates.
        times = np.linspace(0, clip.duration, 4 * len(clip.times))
        axes.plot(times, model.pose(clip, times)[:, number, 2, 3], label=clip.name)
        axes.plot(clip.times, model.pose(clip, clip.times)[:, number, 2, 3], "k.", markersize=3)
    axes.set(xlabel="seconds", ylabel=f"height of {joint}, units of the file")
    axes.legend()
    figure.savefig(output)


if __name__ == "__main__":
    main(*sys.argv[1:])
