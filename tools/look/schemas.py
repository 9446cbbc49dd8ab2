# SPDX-License-Identifier: MIT
"""Schemas of what commands print as JSON, for tests: docs/schemas/README.md has the table of commands.

    schemas.fault('why', document)    # '': it is what the schema says; else the first thing that is not
"""
import copy
import functools
import json
import re
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "docs/schemas"
ROW = re.compile(r"^\| `clipfree ([^`]+)` \| \[([\w-]+)\]\(([\w.-]+)\) \| (\d+) \|", re.MULTILINE)


def table():
    """[(command and options, schema, version)] of the page."""
    return [(command, name, int(version))
            for command, name, file, version in ROW.findall((FOLDER / "README.md").read_text(encoding="utf-8"))
            if file == f"{name}.schema.json"]


@functools.cache
def schema_of(name):
    return json.loads((FOLDER / f"{name}.schema.json").read_text(encoding="utf-8"))


@functools.cache
def validator(name):
    import jsonschema  # Debian's python3-jsonschema; who looks at the schemas alone does without
    jsonschema.Draft202012Validator.check_schema(schema_of(name))
    return jsonschema.Draft202012Validator(schema_of(name))


def fault(name, document):
    """What is not as the schema says, '' if nothing."""
    error = next(validator(name).iter_errors(document), None)
    return f"{name}: {error.json_path}: {error.message[:300]}" if error else ""


# ---------------------------------------------------------------- how strict they are

def subschemas(schema, path=""):
    """(place, schema) of all that a schema has in it."""
    if isinstance(schema, dict):
        yield path, schema
    entries = schema.items() if isinstance(schema, dict) else enumerate(schema) if isinstance(schema, list) else ()
    for key, one in entries:
        yield from subschemas(one, f"{path}/{key}")


def open_records(schema):
    """Places of a schema that list the members of an object and let it have others. What is a part of a whole - in
    allOf, if, then or else, or referred to from there, or from beside unevaluatedProperties - is closed by that."""
    everything = list(subschemas(schema))
    parts = re.compile(r"/(allOf/\d+|if|then|else)$")
    whole = {one["$ref"].removeprefix("#") for path, one in everything
             if "$ref" in one and "unevaluatedProperties" not in one and not parts.search(path)}
    return [path for path, one in everything
            if isinstance(one.get("properties"), dict)
            and not {"additionalProperties", "unevaluatedProperties"} & set(one)
            and not parts.search(path)
            and (path in whole or not re.fullmatch(r"/\$defs/\w+", path))]


def places_of(document, path=()):
    """Paths of all values in a document, its own, (), first."""
    yield path
    entries = document.items() if isinstance(document, dict) else enumerate(document) if isinstance(document, list) \
        else ()
    for key, value in entries:
        yield from places_of(value, (*path, key))


def value_at(document, path):
    for key in path:
        document = document[key]
    return document


def shortened(document, most=4):
    """The document with at most so many entries in each array: entries of one array are alike, and a large document
    takes seconds to look through."""
    if isinstance(document, dict):
        return {key: shortened(value, most) for key, value in document.items()}
    return [shortened(entry, most) for entry in document[:most]] if isinstance(document, list) else document


def mutations(document, numbers, count, free=()):
    """(what was done, document) of documents that are not what was meant: without their version, or of another; a
    record, which is an entry of an array, with a member that nobody knows; a value that is an object instead. free:
    names of members whose insides are not looked at."""
    yield "no version", {key: value for key, value in document.items() if key != "version"}
    yield "another version", document | {"version": document["version"] + 1}
    yield "another member", document | {"surplus": 1}
    places = [path for path in places_of(document) if path and not set(free) & set(path)]
    records = [path for path in places if isinstance(path[-1], int) and isinstance(value_at(document, path), dict)]
    leaves = [path for path in places if not isinstance(value_at(document, path), (dict, list))]
    for path in numbers.sample(records, min(count, len(records))):
        changed = copy.deepcopy(document)
        value_at(changed, path)["surplus"] = 1
        yield f"another member at {path}", changed
    for path in numbers.sample(leaves, min(count, len(leaves))):
        changed = copy.deepcopy(document)
        value_at(changed, path[:-1])[path[-1]] = {"surplus": 1}
        yield f"an object at {path}", changed
