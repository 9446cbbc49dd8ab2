#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""clipfree-replay: on a capture that test-capture-recorder leaves, the same memory for any number of threads and either
engine; on files that are no captures, or damaged, and on wrong options, a message that says what is wrong.

Usage: test_replay.py CLIPFREE-REPLAY [TEST-CAPTURE-RECORDER]
"""
import csv
import json
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import tomllib
import unittest
from pathlib import Path

REPLAY = Path(sys.argv.pop(1)).resolve()
DRAWING = Path(sys.argv.pop(1)).resolve() if len(sys.argv) > 1 else None
MAGIC = b"clipfree capture 4\n"
MEMORY, SUBMIT = 1, 2
PAGE_B = 4096
NOTED = {"call", "group"}  # columns of statistics whose cells are empty where a capture has no notes
ROOT = Path(__file__).resolve().parents[2]
FORMATS = ROOT / "src/clipfree/interface/formats.toml"
sys.path.insert(0, str(ROOT / "tools/look"))
import schemas  # noqa: E402


def replay(program, *arguments):
    """Exit status and messages, where the loader finds no module but the one beside the program."""
    done = subprocess.run([program, *arguments], capture_output=True, text=True, env={"HOME": "/nonexistent"},
                          check=False)
    return done.returncode, done.stderr


def record(kind, address, size_B, payload=b""):
    return struct.pack("<IIQQ", kind, 0, address, size_B) + payload


class Refused(unittest.TestCase):
    def assert_refused(self, records, message, *options, status=1):
        with tempfile.NamedTemporaryFile() as file:
            file.write(MAGIC + records)
            file.flush()
            found = replay(REPLAY, *options, file.name)
        self.assertEqual(found[0], status, found[1])
        self.assertIn(message, found[1])

    def test_no_compiler(self):
        with tempfile.TemporaryDirectory() as folder:
            alone = shutil.copy(REPLAY, folder)
            status, text = replay(alone, "--engine", "jit", "/dev/null")
        self.assertEqual(status, 1)
        self.assertRegex(text, "clipfree-replay: (--)?engine jit: ")

    def test_outputs(self):
        for option in "--stats", "--trace", "--coverage":
            self.assert_refused(b"", "cannot write /nonexistent/file: No such file", option, "/nonexistent/file")

    def test_no_capture(self):
        for path in "/dev/null", "/nonexistent", "/":
            status, text = replay(REPLAY, path)
            self.assertEqual(status, 1)
            self.assertIn("capture", text)
            self.assertIn(path, text)

    def test_records(self):
        page, submit = record(MEMORY, PAGE_B, PAGE_B, bytes(PAGE_B)), record(SUBMIT, PAGE_B, 0)
        second = len(MAGIC + page)
        self.assert_refused(b"", "the capture has no submission")
        self.assert_refused(page, "the capture has no submission")
        self.assert_refused(page + record(9, PAGE_B, 0), f"record at byte {second} (kind 9")
        self.assert_refused(page[:-1], "record at byte 19 (kind 1, address 0x1000, 4096 bytes): the file ends")
        self.assert_refused(page + submit + b"\0", f"record at byte {second + len(submit)}: the file ends in it")
        for kind in MEMORY, SUBMIT:
            self.assert_refused(page + record(kind, 0, 0), "its addresses")
            self.assert_refused(page + record(kind, PAGE_B - 4, 0), "its addresses")
            self.assert_refused(page + record(kind, 1 << 63, 0), "its addresses")
        for size_B in (1 << 32) - PAGE_B, (1 << 64) - PAGE_B:  # address + size wraps around, or memory does not hold it
            self.assert_refused(page + record(SUBMIT, (1 << 35) - PAGE_B, size_B & ~3), f"record at byte {second}")
        for address, size_B in (PAGE_B, 2), (PAGE_B + 1, 4), (PAGE_B, 1 << 32):
            self.assert_refused(page + record(SUBMIT, address, size_B), "whole dwords")

    def test_print_stays_in_the_command_buffer(self):
        half = struct.pack("<I", 11 << 16 | 0x20)  # a draw packet's first dword, the last of memory
        page = record(MEMORY, PAGE_B, PAGE_B, bytes(PAGE_B - 4) + half)
        self.assert_refused(page + record(SUBMIT, 2 * PAGE_B - 4, 4), "packet draw", "--print")

    def test_values(self):
        for option in ["--threads", "x"], ["--threads",
                                           "65"], ["--threads", "2x"], ["--engine", "fast"], ["--repeat", "0"], \
                ["--repeat", "2x"], ["--setup", "dp4"], ["--sfu", "cordic:31"], ["--host-level", "v5"], \
                ["--show", "all"], ["--pixel", "3"], ["--pixel", "3,x"], ["--pixel", "99999999999,1"]:
            status, text = replay(REPLAY, *option, "/dev/null")
            self.assertEqual(status, 2)
            self.assertIn(f"clipfree-replay: {option[0]}={option[1]} is not known; it may be ", text)
        self.assert_refused(b"", "nothing to verify", "--verify", "--engine", "interp")

    def test_usage(self):
        for arguments, says in (([], "an argument is missing\nusage: clipfree-replay"),
                                (["--fast", "/dev/null"], "--fast is not known\nusage: clipfree-replay"),
                                (["--threads", "0"], "an argument is missing\nusage: clipfree-replay"),
                                (["--threads"], "--threads needs a value: V"),
                                (["/dev/null", "/dev/no"], "/dev/no is not known\nusage: clipfree-replay")):
            status, text = replay(REPLAY, *arguments)
            self.assertEqual(status, 2)
            self.assertIn(f"clipfree-replay: {says}", text)
        done = subprocess.run([REPLAY, "--help"], capture_output=True, text=True, check=True)
        for option in "--host-level", "--against-build", "setup, rast, tex or pixel", "exact, dp3 or fma":
            self.assertIn(option, " ".join(done.stdout.split()))


def packet(opcode, *dwords):
    return struct.pack(f"<{1 + len(dwords)}I", opcode | (1 + len(dwords)) << 16, *dwords)


class Images(unittest.TestCase):
    """Two frame buffers of one image each are cleared, then a part of the first is copied to the second."""
    # the images' pixels; their descriptors begin the first page
    FIRST, SECOND, COMMANDS = 2 * PAGE_B, 3 * PAGE_B, PAGE_B + 256

    def descriptor(self, pixels):
        with open(FORMATS, "rb") as file:
            code = tomllib.load(file)["format"]["r8g8b8a8_unorm"]["code"]
        return struct.pack("<8I", pixels, 0, 8 | 8 << 16, 32, code, 256, 0, 0)

    def packets(self):
        for descriptor, red in (PAGE_B, 0x3f800000), (PAGE_B + 32, 0):
            yield packet(0x02, 8 | 8 << 16, 1, 0, 0, descriptor, *[0] * 15)
            yield packet(0x21, 1, 0, red, 0, 0, 0, 0, 8 | 8 << 16, 0)
        yield packet(0x22, PAGE_B, 0, PAGE_B + 32, 0, 0 | 1 << 16, 2 | 2 << 16, 4 | 4 << 16, 0)
        yield packet(0x2f)

    def history(self, pixel):
        packets = list(self.packets())
        page = self.descriptor(self.FIRST) + self.descriptor(self.SECOND)
        page += bytes(self.COMMANDS - PAGE_B - len(page)) + b"".join(packets)
        memory = page + bytes(3 * PAGE_B - len(page))
        with tempfile.NamedTemporaryFile() as file:
            file.write(MAGIC + record(MEMORY, PAGE_B, len(memory), memory) +
                       record(SUBMIT, self.COMMANDS, len(b"".join(packets))))
            file.flush()
            done = subprocess.run([REPLAY, "--pixel", pixel, file.name], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        places = [self.COMMANDS + len(b"".join(packets[:i])) for i in range(len(packets))]
        return done.stdout.splitlines()[:-1], places

    def test_lines_name_their_images(self):
        lines, places = self.history("3,2")
        self.assertEqual(lines, [
            f"clear {places[1]:#x}; target 0, image {self.FIRST:#x}: 000000ff under ffffffff",
            f"clear {places[3]:#x}; target 0, image {self.SECOND:#x}: 00000000 under ffffffff",
            f"copy {places[4]:#x}; image {self.SECOND:#x}: pixel 1,1 of image {self.FIRST:#x}"])

    def test_pixels_beside_the_copy(self):
        for pixel in "1,2", "3,1", "6,2", "3,6":
            self.assertEqual(len(self.history(pixel)[0]), 2)


def sum_of(pattern, lines):
    """{name: sum of its numbers} in lines."""
    sums = {}
    for line in lines:
        for found in re.finditer(pattern, line):
            sums[found["name"]] = sums.get(found["name"], 0) + float(found["number"])
    return sums


@unittest.skipUnless(DRAWING, "test-capture-recorder is not built")
class Drawing(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.path = Path(cls.folder.name, "capture")
        subprocess.run([DRAWING, cls.path], check=True)

    def hash_of(self, *options):
        done = subprocess.run([REPLAY, *options, self.path], capture_output=True, text=True, check=False,
                              env={"MESA_SHADER_CACHE_DISABLE": "1"})
        found = re.search(r"memory ([0-9a-f]{16})$", done.stdout.strip())
        self.assertTrue(found, done.stdout + done.stderr)
        return found[1], done.stdout, done.stderr

    def test_same_memory(self):
        expected, *_ = self.hash_of("--threads", "0", "--engine", "interp")
        for options in ["--threads", "2"], ["--host-level", "base"], ["--repeat", "2"], ["--engine", "auto"]:
            self.assertEqual(self.hash_of(*options)[0], expected, options)

    def test_compiled(self):
        status, text = replay(REPLAY, "--engine", "jit", "/nonexistent")
        if "engine jit" in text:
            self.skipTest(text)
        expected, *_ = self.hash_of()
        self.assertEqual(self.hash_of("--engine", "jit", "--threads", "2")[0], expected)
        self.assertEqual(self.hash_of("--engine", "jit", "--threads", "0")[0], expected)
        verified, _, said = self.hash_of("--verify")
        self.assertEqual(verified, expected)
        self.assertRegex(said, r"clipfree: verified [1-9]\d* tasks of [1-9]\d* programs")

    def stats_of(self, *options):
        """Rows of --stats, without the columns that docs/stats.md says vary; memory is as without the option."""
        table = (ROOT / "docs/stats.md").read_text(encoding="utf-8")
        documented = re.findall(r"^\| `(\w+)` \| ([a-z, ]+) \| (varies)? ?\|", table, re.M)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "stats.csv")
            self.assertEqual(self.hash_of(*options, "--stats", path)[0], self.hash_of(*options)[0])
            with path.open(newline="", encoding="utf-8") as file:
                rows = list(csv.DictReader(file))
        self.assertEqual([name for name, *_ in documented], list(rows[0]))
        for row in rows:
            kind = row["kind"] if row["kind"] in ("draw", "clear", "frame") else "transfer"
            self.assertEqual([name for name, kinds, _ in documented if kind in kinds.split(", ") and name not in NOTED],
                             [name for name, cell in row.items() if cell and name not in NOTED])
        return [{name: row[name] for name, _, varies in documented if not varies} for row in rows]

    def test_stats(self):
        """The same for any number of threads, both engines and any host level; as many draws as the capture has."""
        expected = self.stats_of("--threads", "0", "--engine", "interp")
        draws = [row for row in expected if row["kind"] == "draw"]
        listed = subprocess.run([REPLAY, "--list", "--json", self.path], capture_output=True, text=True,
                                check=True).stdout
        operations = [o for s in json.loads(listed)["submissions"] for o in s["operations"] if "draw" in o]
        self.assertEqual([(int(row["draw"]), row["packet"]) for row in draws],
                         [(operation["draw"], operation["packet"]) for operation in operations])
        self.assertGreater(sum(int(row["fragments"]) for row in draws), 1000)
        self.assertGreater(sum(int(row["cleared"]) for row in expected if row["kind"] == "clear"), 1000)
        for options in ["--threads", "3"], ["--host-level", "base"], ["--engine", "auto", "--threads", "2"]:
            self.assertEqual(self.stats_of(*options), expected, options)
        if "engine jit" not in replay(REPLAY, "--engine", "jit", "/nonexistent")[1]:
            self.assertEqual(self.stats_of("--engine", "jit", "--threads", "2"), expected)

    def trace_of(self, *options):
        """Slices by name, spans by name, and what --perf says, of --trace; memory is as without it. Slices of a thread
        nest."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "trace.json")
            memory, _, said = self.hash_of(*options, "--perf", "--trace", path)
            events = json.loads(path.read_text(encoding="utf-8"))
        self.assertEqual(memory, self.hash_of(*options)[0])
        slices, spans, open_spans, threads = {}, {}, {}, {}
        named = {event["tid"] for event in events if event["ph"] == "M"}
        for event in events:
            key = event["name"], event.get("id")
            if event["ph"] == "X":
                self.assertIn(event["tid"], named)
                slices.setdefault(event["name"], []).append(event)
                threads.setdefault(event["tid"], []).append(event)
            elif event["ph"] == "b":
                self.assertNotIn(key, open_spans)
                open_spans[key] = event["ts"]
            elif event["ph"] == "e":
                self.assertLessEqual(open_spans.pop(key), event["ts"])
                spans.setdefault(event["name"], []).append(event)
        self.assertEqual(open_spans, {})
        for events in threads.values():
            self.assert_nested(events)
        lines = [line for line in said.splitlines() if line.startswith("clipfree: submission ")]
        self.assertTrue(lines)
        return (slices, spans, sum_of(r"(?P<number>\d+) (?P<name>[a-z][a-z -]+)(?=,|$)", lines),
                sum_of(r"(?P<name>[a-z-]+) (?P<number>[\d.]+)(?=[,;])", lines))

    def assert_nested(self, events):
        ends = []
        nanoseconds = lambda us: round(us * 1000)
        for event in sorted(events, key=lambda e: (e["ts"], -e["dur"])):
            start, end = nanoseconds(event["ts"]), nanoseconds(event["ts"]) + nanoseconds(event["dur"])
            while ends and ends[-1] <= start:
                ends.pop()
            self.assertLessEqual(end, min(ends, default=end), event)
            ends.append(end)

    def test_trace(self):
        for threads in "0", "1", "3":
            slices, spans, counts, units = self.trace_of("--threads", threads)
            argument = lambda name, what: sum(e["args"][what] for e in slices[name])
            self.assertEqual(len(slices["parse"]), counts["submissions"])
            self.assertEqual(len(spans["submission"]), counts["submissions"])
            self.assertEqual(len(spans["pass"]), counts["passes"])
            self.assertEqual(len(slices["order tiles"]), counts["passes"])
            self.assertEqual(len(slices["chunk"]), counts["chunks"])
            self.assertEqual(len(slices["tile"]), argument("order tiles", "tiles"))
            self.assertEqual(argument("chunk", "vertex tasks"), counts["vertex tasks"])
            self.assertEqual(argument("tile", "fragment tasks"), counts["fragment tasks"])
            self.assertEqual(argument("tile", "fragments"), counts["fragments"])
            self.assertEqual(argument("tile", "hidden"), counts["hidden"])
            took = lambda *names: sum(e["dur"] for name in names for e in slices.get(name, ()))
            rounding = 0.1 * counts["submissions"] * len(units)  # of printed times
            # a unit's clock runs inside of the slices
            self.assertGreaterEqual(took("chunk", "order tiles") + rounding, units["vertices"] + units["primitives"])
            self.assertGreaterEqual(took("chunk"), took("vertices", "set-up"))
            self.assertGreaterEqual(took("tile") + rounding,
                                    sum(units[name] for name in ("raster", "shading", "pixels")))
            self.assertGreaterEqual(took("copy", "gather", "resolve", "reduce") + rounding, units["copies"])

    def test_trace_of_the_compiler(self):
        if "engine jit" in replay(REPLAY, "--engine", "jit", "/nonexistent")[1]:
            self.skipTest("no compiler")
        slices, *_ = self.trace_of("--engine", "jit", "--threads", "2")
        self.assertTrue(slices["compile"])
        for event in slices["compile"]:
            self.assertRegex(event["args"]["of"], "^clipfree_")

    def test_other_arithmetic(self):
        expected, *_ = self.hash_of()
        for setup in "dp3", "fma":
            self.assertNotEqual(self.hash_of("--setup", setup)[0], expected)

    def test_print(self):
        self.assertIn("\ndraw\n", self.hash_of("--print")[1])
        self.assertRegex("".join(self.hash_of("--show", "rast")), r"tile \(0, 0\): primitive")

    def test_pixel(self):
        """A line for each thing that happens; each finds what the one before left in the same image; watching changes
        no memory."""
        plain, *_ = self.hash_of("--path", "plain")
        images = set(re.findall(r"image (0x\w+)", self.hash_of("--pixel", "100,100")[1]))
        self.assertGreater(len(images), 1)
        for x, y in (100, 100), (3, 200), (299, 0):
            memory, text, _ = self.hash_of("--pixel", f"{x},{y}", "--threads", "2")
            self.assertEqual(memory, plain)
            lines = text.splitlines()[:-1]
            pixels = {}
            for line in lines:
                for image, value, how, after in re.findall(r"image (0x\w+): (\w+) (->|under) (\w+)", line):
                    value, after = int(value, 16), int(after, 16)
                    self.assertIn(image, images)
                    if line.startswith("draw"):
                        self.assertEqual(how, "->")
                        self.assertEqual(value, pixels[image], line)
                        pixels[image] = after
                    else:
                        pixels[image] = (pixels.get(image, 0) & ~after) | (value & after)
                if line.startswith("draw"):
                    fate = "(written|killed|alpha|stencil|depth)"
                    self.assertRegex(line,
                                     rf"^draw 0x\w+, primitive \d+, sample 0: {fate}; depth .*; target 0, image 0x")
            self.assertRegex(lines[0], r"^clear 0x[0-9a-f]+; target 0, image 0x\w+: [0-9a-f]{8} under ffffffff; "
                                       r"depth and stencil, image 0x\w+: ")
            self.assertTrue(any(": written;" in line for line in lines))

    def test_json(self):
        """A run as an object has what its text has: packets and notes, the pixel's events, the hash of memory."""
        memory, text, _ = self.hash_of("--print", "--pixel", "100,100")
        done = subprocess.run([REPLAY, "--json", "--print", "--pixel", "100,100", self.path], capture_output=True,
                              text=True, check=True)
        document = json.loads(done.stdout)
        self.assertEqual(schemas.fault("replay-run", document), "")
        self.assertEqual(document["memory"], memory)
        lines = text.splitlines()[:-1]
        events = [line.split()[:2] for line in lines if re.match(r"(draw|clear|copy|gather|reduce) 0x", line)]
        self.assertEqual([["draw" if "primitive" in one else one["what"], one["packet"] + (
            "," if "primitive" in one else ";")] for one in document["events"]], events)
        packets = [packet for one in document["records"] for packet in one.get("packets", ())]
        self.assertEqual([packet["name"] for packet in packets], [line for line in lines if re.match(r"[a-z_]+$", line)])
        self.assertEqual(sum(len(packet["values"]) for packet in packets),
                         sum(line.startswith("   ") for line in lines))

    def test_pixel_is_interpreted(self):
        status, text = replay(REPLAY, "--engine", "auto", "--pixel", "1,1", self.path)
        self.assertEqual(status, 1)
        self.assertIn("what is watched is the plain path, interpreted", text)

    def test_cut_off(self):
        """What the process wrote before it was killed is replayed, with a warning."""
        data = self.path.read_bytes()
        for size_B, expected, message in (len(data) - 30, 0, "not complete"), (len(data) * 3 // 4, 0, "not complete"), \
                (len(MAGIC) + 30, 1, "no submission"):
            with tempfile.NamedTemporaryFile() as file:
                file.write(data[:size_B])
                file.flush()
                status, text = replay(REPLAY, file.name)
            self.assertEqual(status, expected)
            self.assertIn(message, text)


if __name__ == "__main__":
    unittest.main()
