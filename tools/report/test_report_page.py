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
from captures import CALL, GROUP, LABEL  # noqa: E402

NAME, SOURCE = 5, 6  # fields of notes (interface/cf_note.h)
SCHEMA = json.loads((HERE / "report.schema.json").read_text())
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
        self.sources += [attributes[name] for name in ("src", "data", "poster", "srcset", "action") if name in attributes]

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
        self.refused("no draw of the capture has such a target", "--image", "0x4", "--map", "overdraw", self.folder / "a.png", self.path)
        self.refused("--frame may be a number from 0", "--frame", "-1", self.path)
        self.refused("invalid int value", "--strip", "x", self.path)
        self.path.write_bytes(b"clipfree capture 2\n" + data[19:5000])
        self.refused("", "-o", out, self.path)
        self.path.write_bytes(b"clipfree capture 9\n" + data[19:])
        self.refused("", "-o", out, self.path)
        self.path.write_bytes(b"nothing\n")
        self.refused("is no capture", "-o", out, self.path)

    def test_malformed_submission(self):
        self.begin()
        self.quad()
        self.capture.packet("shader", stage="vertex", program=8)
        self.quad()
        self.write()
        self.refused("", "-o", self.folder / "out.html", self.path)

    def test_full_device(self):
        self.one()
        full = self.folder / "full.png"
        full.symlink_to("/dev/full")
        self.refused("cannot write", "--map", "overdraw", full, self.path)


class Lines(unittest.TestCase):
    """Costs of lines, from a program made by hand."""

    def program(self):
        def instruction(lines, live, **more):
            return {"text": "x", "runs": 1, "live": live, "branched": 1, "divergent": 0,
                    "lines": [{"source": s, "line": n} for s, n in lines], **more}
        return {"sources": ["a\nb\nc\n", "d\n"], "instructions": [
            instruction([(0, 1)], 10), instruction([(0, 1), (0, 3)], 20, texels=5), instruction([(1, 1)], 7, taken=3, not_taken=4),
            instruction([], 100)]}

    def test_costs(self):
        first, second = list(page.sources(self.program()))
        self.assertEqual([cost and cost["live"] for _, _, cost in first["lines"]], [30, None, 20])
        self.assertEqual(first["lines"][2][2]["texels"], 5)
        self.assertEqual(second["lines"][0][2]["branches"], [(3, 4)])

    def test_numbers(self):
        for number, text in ((0, "0"), (999, "999"), (9999, "9\u202f999"), (10000, "10.0\u202fk"), (123456, "123\u202fk"),
                             (1234567, "1.2\u202fM"), (5 * 10**9, "5.0\u202fG")):
            self.assertEqual(page.short(number), text)


if __name__ == "__main__":
    unittest.main()
