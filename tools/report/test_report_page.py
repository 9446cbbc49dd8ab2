#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""clipfree report as users call it: its JSON by the schema, its page, its files, and what it refuses.

Usage: test_report_page.py CLIPFREE-REPORT CLIPFREE-REPLAY CLIPFREE-ASM
"""
import json
import sys
import unittest
from html.parser import HTMLParser

import jsonschema

from report_cases import BRANCHES, HERE, Made, measure, read_npy, report

sys.path.insert(0, str(HERE))
import page  # noqa: E402

sys.path.insert(0, str(HERE.parent / "look"))
from captures import CALL, GROUP, LABEL, LINES, SOURCE, packed_lines  # noqa: E402

NAME = 5  # a field of notes (interface/cf_note.h)
SCHEMA = json.loads((HERE.parents[1] / "docs/schemas/report.schema.json").read_text())
HOSTILE = "</td><script>alert(1)</script> & \"quotes\""


class Page(HTMLParser):
    """What a page has."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.ids, self.links, self.sources, self.tags, self.text = [], [], [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.tags.append(tag)
        self.ids += [attributes["id"]] if "id" in attributes else []
        self.links += [attributes["href"]] if "href" in attributes else []
        self.sources += [attributes[name] for name in ("src", "data", "poster", "srcset", "action")
                         if name in attributes]

    def handle_data(self, data):
        self.text.append(data)


def fields(schema):
    """All names of properties."""
    if isinstance(schema, dict):
        for name, value in schema.items():
            if name == "properties":
                yield from value
            yield from fields(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from fields(value)


class Commands(Made):
    def one(self, draws=3, **values):
        self.begin(depth=True)
        program = self.fragments(BRANCHES, sysvals=1 << 3)
        for _ in range(draws):
            self.quad()
        if values.get("notes"):
            self.capture.note(program, (NAME, HOSTILE), (SOURCE, "void main()\n{\n" + HOSTILE + "\n}\n"))
        places = self.capture.submit()
        if values.get("notes"):
            draw = next(address for name, address in places if name == "draw")
            self.capture.note(draw, (CALL, HOSTILE), (GROUP, "world"), (GROUP, HOSTILE), (LABEL, HOSTILE))
        self.capture.write(self.path)

    def made(self, *options):
        """The page."""
        out = self.folder / "page.html"
        done = report("-o", out, *options, self.path)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, "")
        return out.read_text()

    def test_schema(self):
        self.one(notes=True)
        out = self.folder / "out.json"
        self.assertEqual(report("--json", out, self.path).returncode, 0)
        document = json.loads(out.read_text())
        jsonschema.Draft202012Validator(SCHEMA).validate(document)
        self.assertEqual(document, json.loads(measure(self.path).stdout))
        self.assertEqual(json.loads(report("--json", "-", self.path).stdout), document)
        self.assertFalse((self.folder / "report.html").exists())
        draw = document["frames"][0]["draws"][0]
        self.assertEqual([draw["call"], draw["groups"], draw["labels"]], [HOSTILE, ["world", HOSTILE], [HOSTILE]])
        program = document["programs"][draw["fragment_program"]]
        self.assertEqual([program["name"], program["sources"]], [HOSTILE, ["void main()\n{\n" + HOSTILE + "\n}\n"]])

    def test_schema_is_strict_enough(self):
        self.one()
        document = json.loads(measure(self.path).stdout)
        validator = jsonschema.Draft202012Validator(SCHEMA)
        del document["frames"][0]["draws"][1]["fates"]["depth"]
        self.assertFalse(validator.is_valid(document))

    def test_docs(self):
        """Each field stands in docs/report.md."""
        text = (HERE.parents[1] / "docs/report.md").read_text()
        for name in set(fields(SCHEMA)):
            self.assertIn(f"`{name}`", text)
        for name in page.MAPS:
            self.assertIn(f"`{name}`", text)

    def test_page(self):
        self.one(draws=30)
        found = Page(self.made())
        self.assertEqual(len(found.ids), len(set(found.ids)))
        self.assertEqual([i for i in found.ids if i.startswith("draw-")], [f"draw-{n}" for n in range(30)])
        for link in found.links:
            self.assertIn(link.removeprefix("#"), found.ids)
        self.assertGreater(len(found.sources), 30)
        for source in found.sources:
            self.assertRegex(source, "^data:image/png;base64,")
        self.assertNotIn("link", found.tags)
        self.assertNotRegex(self.made(), r"https?://|@import|url\(")
        for title in ("Overdraw", "Divergence", "Instructions", "Idle lanes"):
            self.assertIn(title, found.text)

    def test_strip(self):
        self.one(draws=7)
        for most, pictures in ((0, 0), (2, 2), (40, 7)):
            text = self.made("--strip", most)
            self.assertEqual(text.count("<figcaption>after draw"), pictures)
            self.assertEqual(text.count('<tr id="draw-'), 7)

    def test_notes_are_text(self):
        self.one(notes=True)
        text = self.made()
        found = Page(text)
        self.assertEqual(found.tags.count("script"), 1)
        self.assertGreaterEqual("".join(found.text).count(HOSTILE), 4)

    def test_no_draws(self):
        self.begin()
        self.write()
        self.assertIn("no draws", "".join(Page(self.made()).text))

    def test_maps(self):
        self.one(draws=2)
        files = [self.folder / "m.npy", self.folder / "m.png"]
        done = report("--map", "overdraw", files[0], "--map", "instructions", files[1], self.path)
        self.assertEqual([done.returncode, done.stdout], [0, ""], done.stderr)
        self.assertEqual(read_npy(files[0]), [(2,) * 64] * 64)
        self.assertEqual(files[1].read_bytes()[:8], b"\x89PNG\r\n\x1a\n")

    def test_default_file(self):
        self.one()
        self.assertEqual(report(self.path, cwd=self.folder).returncode, 0)
        self.assertTrue((self.folder / "report.html").read_text().startswith("<!DOCTYPE html>"))

    def test_help(self):
        done = report("--help")
        self.assertEqual(done.returncode, 0)
        self.assertLess(len(done.stdout.splitlines()), 25)
        for line in done.stdout.splitlines():
            self.assertLess(len(line), 121)

    def test_refused(self):
        self.one()
        data = self.path.read_bytes()
        out = self.folder / "out.html"
        self.refused("which capture, or which program?")
        self.refused("there is no", "-o", out, self.folder / "none.cap")
        self.refused("options come before", self.path, "-o", out)
        self.refused("there is no folder", "-o", self.folder / "none/page.html", self.path)
        self.refused("is a folder", "-o", self.folder, self.path)
        self.refused("there is no folder", "--json", self.folder / "none/a.json", self.path)
        self.refused("may be overdraw, instructions", "-o", out, "--map", "heat", self.folder / "a.png", self.path)
        self.refused(".npy (counts) or .png", "-o", out, "--map", "overdraw", self.folder / "a.jpg", self.path)
        self.refused("cannot write", "-o", out, "--map", "overdraw", self.folder / "none/a.npy", self.path)
        self.refused("may be an address", "-o", out, "--image", "12", self.path)
        self.refused("no draw of the capture has such a target", "--image", "0x4", "--map", "overdraw",
                     self.folder / "a.png", self.path)
        self.refused("--frame may be a number from 0", "--frame", "-1", self.path)
        self.refused("of a capture the report is of all frames", "--frame", "0", self.path)
        self.refused("of a capture the report is of all frames", "--frames", "2", self.path)
        self.refused("invalid int value", "--strip", "x", self.path)
        self.path.write_bytes(b"clipfree capture 4\n" + data[19:5000])
        self.refused("the file ends", "-o", out, self.path)
        self.path.write_bytes(b"clipfree capture 9\n" + data[19:])
        self.refused("is a capture of version 9; versions 4 and 5 can be read: take the clipfree that made it", "-o",
                     out, self.path)
        self.path.write_bytes(b"nothing\n")
        self.refused("is no capture", "-o", out, self.path)

    def test_malformed_submission(self):
        self.begin()
        self.quad()
        self.capture.packet("shader", stage="vertex", program=8)
        self.quad()
        self.write()
        self.refused("packet shader at 0x", "-o", self.folder / "out.html", self.path)

    def test_full_device(self):
        self.one()
        full = self.folder / "full.png"
        full.symlink_to("/dev/full")
        self.refused("cannot write", "--map", "overdraw", full, self.path)


class Lines(Made):
    """Lines of GLSL, as a capture's notes name them."""

    GLSL = "void main()\n{\n   if (odd)\n      a += 3.0;\n   else\n      a += 1.0;\n}\n", "float helper() { return 0.5; }\n"

    def setUp(self):
        super().setUp()
        self.begin()
        program = self.fragments(BRANCHES, sysvals=1 << 3)
        table = ((4, 3), (5, 3), (6, 4), (7, 4), (8, 4), (9, 5), (10, 6), (11, 6), (11, 1, 1, 0, 1))
        self.quad()
        self.capture.note(program, (SOURCE, self.GLSL[0]), (SOURCE, self.GLSL[1]),
                          (LINES, packed_lines(*table)))
        self.write()
        self.program = json.loads(measure(self.path).stdout)["programs"][1]

    def test_json(self):
        self.assertEqual([[(line["source"], line["line"]) for line in i.get("lines", [])]
                          for i in self.program["instructions"][3:13]],
                         [[], [(0, 3)], [(0, 3)], [(0, 4)], [(0, 4)], [(0, 4)], [(0, 5)], [(0, 6)], [(0, 6), (1, 1)],
                          []])

    def test_costs(self):
        half, (first, second) = 64 * 64 // 2, list(page.sources(self.program))
        costs = [cost and [cost[name] for name in ("lanes", "live", "branched", "branches")] for _, _,
                 cost in first["lines"]]
        self.assertEqual(costs, [None, None, [2 * half, 4 * half, 0, [(half, half)]], [half, 3 * half, 3 * half, []],
                                 [half, half, half, []], [half, 2 * half, 2 * half, []], None])
        self.assertEqual([cost["live"] for _, _, cost in second["lines"]], [half])
        self.assertEqual(page.lines_of(self.program["instructions"][11], self.program), "0:6, 1:1")

    def test_lcov(self):
        out = self.folder / "out.info"
        self.assertEqual(report("--lcov", out, self.path).returncode, 0)
        half, number = 64 * 64 // 2, self.program["program"]
        sources = [self.folder / "out.info.glsl" / f"program-{number}-{i}.frag" for i in range(2)]
        self.assertEqual([source.read_text() for source in sources], list(self.GLSL))
        self.assertEqual(out.read_text().splitlines(), [
            "TN:", f"SF:{sources[0]}", f"BRDA:3,0,0,{half}", f"BRDA:3,0,1,{half}", "BRF:2", "BRH:2", f"DA:3,{2 * half}",
            f"DA:4,{half}", f"DA:5,{half}", f"DA:6,{half}", "LF:4", "LH:4", "end_of_record",
            f"SF:{sources[1]}", "BRF:0", "BRH:0", f"DA:1,{half}", "LF:1", "LH:1", "end_of_record"])

    def test_page(self):
        out = self.folder / "page.html"
        self.assertEqual(report("-o", out, self.path).returncode, 0)
        text = "".join(Page(out.read_text()).text)
        for line in self.GLSL[0].splitlines():
            self.assertIn(line, text)
        self.assertIn("2\u202f048 / 2\u202f048", text)

    def test_no_lines(self):
        self.capture.notes.clear()
        self.capture.write(self.path)
        self.refused("knows no lines of GLSL", "--lcov", self.folder / "out.info", self.path)
        for option in ("--lcov", "--trace"):
            self.refused(f"{option} writes no stream: give it a file's name", option, "-", self.path)


class Numbers(unittest.TestCase):
    def test_numbers(self):
        for number, text in ((0, "0"), (999, "999"), (9999, "9\u202f999"), (10000, "10.0\u202fk"),
                             (123456, "123\u202fk"), (1234567, "1.2\u202fM"), (5 * 10**9, "5.0\u202fG")):
            self.assertEqual(page.short(number), text)


if __name__ == "__main__":
    unittest.main()
