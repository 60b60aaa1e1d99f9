#!/usr/bin/env python3
"""usage: check_json.py [--every] FILE...

Validates JSON outputs of the program, one document a line, against the schemas in Scripts/schema.
A key that no schema names is a breach, so that none stays undescribed. --every demands that each
schema was met at least once.
"""

import collections
import functools
import json
import pathlib
import sys

import jsonschema

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "schema"


def strict(schema):
    """The schema with all objects closed. Conditions only narrow what is described elsewhere."""
    if isinstance(schema, list):
        return [strict(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {
        key: part if key in ("if", "then", "else", "allOf", "oneOf") else strict(part)
        for key, part in schema.items()}
    if "properties" in schema and "type" in schema:
        closed.setdefault("additionalProperties", False)
    return closed


@functools.cache
def validators():
    """The schema's name, as it stands in documents, to its validator."""
    found = {}
    for path in sorted(FOLDER.glob("*.json")):
        schema = json.loads(path.read_text())
        jsonschema.Draft202012Validator.check_schema(schema)
        found[schema["$id"]] = jsonschema.Draft202012Validator(strict(schema))
    return found


def breach(document):
    """Where and how a document breaks its schema; None when it does not."""
    name = document.get("schema") if isinstance(document, dict) else None
    validator = validators().get(name)
    if validator is None:
        return f"there is no schema for {name!r}"
    error = jsonschema.exceptions.best_match(validator.iter_errors(document))
    return error and f"{name} at {error.json_path}: {error.message}"


def main():
    arguments = sys.argv[1:]
    every = "--every" in arguments
    counts, breaches = collections.Counter(), collections.Counter()
    for path in arguments:
        if path == "--every":
            continue
        for line in pathlib.Path(path).read_text().splitlines():
            document = json.loads(line)
            found = breach(document)
            if found:
                breaches[found] += 1
            else:
                counts[document["schema"]] += 1
    for found, count in breaches.items():
        print(f"{count} times: {found}")
    missing = sorted(set(validators()) - set(counts)) if every else []
    for name in missing:
        print(f"no output followed {name}")
    print(f"check_json: {sum(counts.values())} documents of {len(counts)} schemas are as described, "
          f"{sum(breaches.values())} are not")
    sys.exit(1 if breaches or missing else 0)


if __name__ == "__main__":
    main()
