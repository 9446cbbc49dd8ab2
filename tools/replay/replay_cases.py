# SPDX-License-Identifier: MIT
"""What tests of clipfree-replay share: its command line, captures made by hand, PNG files.

Programs that import it take arguments CLIPFREE-REPLAY CLIPFREE-ASM [TEST-CAPTURE-RECORDER].
"""
import json
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "look"))
import captures  # noqa: E402
import schemas  # noqa: E402
from captures import Captured, packed  # noqa: E402

REPLAY, ASM = (Path(sys.argv.pop(1)).resolve() for _ in range(2))
DRAWING = Path(sys.argv.pop(1)).resolve() if len(sys.argv) > 1 else None


def replay(*arguments, **options):
    """What it does. A document that it prints is as its schema says."""
    words = [str(argument) for argument in arguments]
    done = subprocess.run([REPLAY, *words], capture_output=True, text=True, check=False, **options)
    if "--json" in words and done.stdout:
        mode = next((word[2:] for word in words if word in ("--list", "--trim", "--compare") or
                     word.startswith("--against")), "run").split("=")[0]
        fault = schemas.fault("replay-" + ("compare" if "against" in mode else mode), json.loads(done.stdout))
        assert not fault, fault
    return done


def read_png(path):
    """(channels, bits, rows of pixels as tuples) of a PNG file without interlacing."""
    data, at, body, head = Path(path).read_bytes(), 8, b"", None
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    while at < len(data):
        size, kind = struct.unpack_from(">I4s", data, at)
        chunk = data[at + 8:at + 8 + size]
        assert struct.unpack_from(">I", data, at + 8 + size)[0] == zlib.crc32(kind + chunk)
        head, body, at = chunk if kind == b"IHDR" else head, body + chunk * (kind == b"IDAT"), at + 12 + size
    width, height, bits, color = struct.unpack_from(">IIBB", head)
    channels = {0: 1, 2: 3, 6: 4}[color]
    return channels, bits, rows_of(zlib.decompress(body), width, height, channels, bits)


def rows_of(data, width, height, channels, bits):
    step, pitch = channels * bits // 8, 1 + width * channels * bits // 8
    above, rows = bytes(pitch - 1), []
    for y in range(height):
        method, line = data[y * pitch], bytearray(data[y * pitch + 1:(y + 1) * pitch])
        for i in range(len(line)):
            left, corner = (line[i - step], above[i - step]) if i >= step else (0, 0)
            line[i] = (line[i] + predicted(method, left, above[i], corner)) & 255
        above = bytes(line)
        values = struct.unpack(f">{width * channels}{'H' if bits == 16 else 'B'}", above)
        rows.append([values[x * channels:(x + 1) * channels] for x in range(width)])
    return rows


def predicted(method, left, above, corner):
    by_distance = sorted((abs(above - corner), abs(left - corner), abs(left + above - 2 * corner))[k] for k in range(3))
    nearest = next(value for value, distance in ((left, abs(above - corner)), (above, abs(left - corner)),
                                                 (corner, abs(left + above - 2 * corner)))
                                                 if distance == by_distance[0])
    return (0, left, above, (left + above) // 2, nearest)[method]


class Made(unittest.TestCase):
    """A capture made by hand, in a folder of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.path = self.folder / "capture"
        self.capture = Captured(ASM)

    def write(self):
        self.capture.submit()
        self.capture.write(self.path)

    def write_changes(self, before_submit=None):
        """Write pages that the host changed alone, as the recorder does: what the GPU wrote stays. before_submit:
        records (kind, number, address, payload) by number of a submission."""
        self.capture.submit()
        with open(self.path, "wb") as file:
            file.write(b"clipfree capture 4\n")
            before = b""
            for number, (memory, address, size_B) in enumerate(self.capture.submissions):
                for kind, count, place, payload in (before_submit or {}).get(number, []):
                    file.write(struct.pack("<IIQQ", kind, count, place, len(payload)) + payload)
                for at in range(0, len(memory), 4096):
                    page = memory[at:at + 4096].ljust(4096, b"\0")
                    if page != before[at:at + 4096].ljust(4096, b"\0") or not before:
                        file.write(struct.pack("<IIQQ", 1, 0, 4096 + at, 4096) + page)
                file.write(struct.pack("<IIQQ", 2, 0, address, size_B))
                before = memory

    def linear(self, form, pixel_B, data=b"", width_px=8, height_px=8):
        """(address of the descriptor, address of the pixels) of an image in rows."""
        size_B = width_px * height_px * pixel_B
        pixels = self.capture.put(data + bytes(size_B - len(data)))
        return self.capture.put(packed("surface", address=pixels, width_px=width_px, height_px=height_px, format=form,
                                       row_pitch_B=width_px * pixel_B, layout="linear", size_B=size_B)), pixels

    def bind(self, colors, zs=None, samples=1):
        self.capture.packet("framebuffer", width_px=8, height_px=8, color_count=len(colors), samples=samples,
                            color=[color[0] for color in colors], depth_stencil=zs[0] if zs else 0)

    def clear(self, **values):
        self.capture.packet("clear", **({"max_x_px": 8, "max_y_px": 8, "stencil_write_mask": 255} | values))

    def png(self, *options):
        done = replay("--png", self.folder / "png", *options, self.path)
        self.assertEqual(done.returncode, 0, done.stderr)
        found = read_png(self.folder / "png")
        (self.folder / "png").unlink()
        return found

    def refused(self, message, *options, status=1, **more):
        done = replay(*options, self.path, **more)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        self.assertIn(message, done.stderr)
        self.assertEqual(sorted(file.name for file in self.folder.iterdir()), ["capture"])


RED, GREEN, BLUE = (255, 0, 0, 255), (0, 255, 0, 255), (0, 0, 255, 255)


def color_of(rgba):
    return [struct.unpack("<I", struct.pack("<f", value / 255))[0] for value in rgba]
