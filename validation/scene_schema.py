#!/usr/bin/python3
"""Checks the scene schema with an independent validator (Debian: python3-jsonschema).

usage: scene_schema.py KNEAD [SCENE.json ...]
The schema must be valid JSON Schema, draft 2020-12, accept every scene given, and refuse a few that knead refuses.
"""
import copy
import json
import re
import subprocess
import sys

from jsonschema import Draft202012Validator


def read_with_comments(path):
    text = open(path, encoding="utf-8").read()
    token = re.compile(r'"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?\*/', re.S)
    return json.loads(token.sub(lambda m: m[0] if m[0].startswith('"') else " ", text))


def main():
    knead, scenes = sys.argv[1], sys.argv[2:]
    schema = json.loads(subprocess.run([knead, "schema"], check=True, capture_output=True, text=True).stdout)
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    failures = 0
    for path in scenes:
        scene = read_with_comments(path)
        for error in validator.iter_errors(scene):
            print(f"{path}: {'.'.join(map(str, error.absolute_path))}: {error.message[:200]}")
            failures += 1
        for change in ({"fps": 0}, {"fsp": 24}, {"duration": "long"}, {"gravity": [0, 1]}, {"solver": {"type": "mmp"}}):
            wrong = {**copy.deepcopy(scene), **change}
            if validator.is_valid(wrong):
                print(f"{path}: accepted with {change}")
                failures += 1
    print(f"{len(scenes)} scenes, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
