# SPDX-License-Identifier: MIT
"""Pictures: how they differ, and PNG files of them."""
import re
import struct
import sys
import zlib
from pathlib import Path

from shader_programs import Unusable

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "look"))

import files  # noqa: E402


class Picture:
    """Pixels with 8 bits a channel, by channel: {"r": bytes, ...}. Alpha does not show, where there are colours."""

    def __init__(self, width, height, name, pixel_bytes, data):
        self.width, self.height = width, height
        order = re.findall(r"([rgbaxl])(\d+)", name.split("_")[0])
        if any(bits != "8" for _, bits in order) or len(order) != pixel_bytes:
            raise Unusable(f"the picture has the format {name}; pictures with 8 bits a channel can be compared.")
        shown = [channel for channel, _ in order if channel in "rgbl"] or ["a"]
        self.channels = {channel: data[i::pixel_bytes] for i, (channel, _) in enumerate(order) if channel in shown}

    def difference(self, other):
        """bytes: of each pixel the greatest difference of a channel."""
        if (self.width, self.height, self.channels.keys()) != (other.width, other.height, other.channels.keys()):
            raise Unusable("the pictures have different sizes: is the capture of a program that changes them?")
        worst = bytes(self.width * self.height)
        for channel, mine in self.channels.items():
            theirs = other.channels[channel]
            if mine != theirs:
                worst = bytes(max(w, abs(a - b)) for w, a, b in zip(worst, mine, theirs))
        return worst

    def rgb(self):
        gray = self.channels.get("l") or self.channels.get("a")
        planes = [self.channels.get(channel, gray) for channel in "rgb"]
        return b"".join(bytes(pixel) for pixel in zip(*planes))


def write_png(path, width, height, rgb):
    """Whole or not at all; raises files.CannotWrite."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = b"".join(b"\0" + rgb[3 * width * y:3 * width * (y + 1)] for y in range(height))
    data = (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))
    files.write(str(path), data)


def difference_rgb(worst, within):
    """Gray where pixels agree, from yellow to red where they do not."""
    table = [bytes((40 + 8 * d,) * 3) if d <= within else bytes((255, max(0, 220 - 2 * d), 0)) for d in range(256)]
    return b"".join(table[d] for d in worst)


def places_rgb(numbers):
    """A colour for each place, by its number from 1; dark where there is none."""
    colors = [(40, 40, 40)] + [(230, 60, 60), (70, 130, 230), (80, 190, 90), (235, 190, 60), (170, 90, 200),
                               (70, 190, 190), (240, 130, 180), (150, 110, 70)]
    table = [bytes(color) for color in colors]
    return b"".join(table[1 + (n - 1) % (len(table) - 1) if n else 0] for n in numbers)
