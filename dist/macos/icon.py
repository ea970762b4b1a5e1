"""Writes an SVG as an icon of macOS: ICON.SVG ICON.ICNS. Needs rsvg-convert, from librsvg in Debian and Homebrew."""

import struct
import subprocess
import sys

# Types of images in PNG, and their sides.
SIDES = {b"icp4": 16, b"icp5": 32, b"ic07": 128, b"ic08": 256, b"ic09": 512, b"ic10": 1024}

source, target = sys.argv[1:]
images = b""
for kind, side in SIDES.items():
    png = subprocess.check_output(["rsvg-convert", "--width", str(side), "--height", str(side), source])
    images += kind + struct.pack(">I", 8 + len(png)) + png
with open(target, "wb") as icon:
    icon.write(b"icns" + struct.pack(">I", 8 + len(images)) + images)
