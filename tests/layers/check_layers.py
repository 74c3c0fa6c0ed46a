#!/usr/bin/env python3
"""Fails if a file of the engine includes what engine/layers.txt does not allow.

Usage: check_layers.py [ENGINE_FOLDER]
"""
import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def read_layers(path):
    """Returns the rooms with what they may use, the beginnings of heavy headers' names, and the private headers."""
    layers = {}
    for line in path.read_text().splitlines():
        line = line.split("#")[0].strip()
        if line:
            room, _, uses = line.partition(":")
            layers[room.strip()] = uses.split()
    return layers, tuple(layers.pop("heavy", [])), layers.pop("private", [])


def room_of(relative, layers):
    """The most particular room of a path: `solvers/*` for files in a folder of solvers, if there is such a room."""
    folders = relative.parts[:-1]
    if len(folders) > 1 and folders[0] + "/*" in layers:
        return folders[0] + "/*"
    return folders[0] if folders else None


def check_file(engine, relative, layers, heavy, private):
    """Yields a message for each include that is not allowed."""
    room = room_of(relative, layers)
    public = relative.suffix == ".h" and str(relative) not in private
    if room not in layers:
        yield f"engine/{relative}: its folder is no room of layers.txt"
        return
    for number, line in enumerate((engine / relative).read_text(errors="replace").splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        quote, name = match.groups()
        place = f"engine/{relative}:{number}"
        if quote == "<":
            if public and name.startswith(heavy) and not name.endswith("_fwd.hpp"):
                yield f"{place}: <{name}> belongs in a .cpp file"
            continue
        target = pathlib.PurePosixPath(name)
        if ".." in target.parts or not (engine / target).is_file():
            yield f'{place}: "{name}" is no file relative to engine/'
            continue
        other = room_of(target, layers)
        depth = 2 if room.endswith("/*") else 1
        same = other == room and target.parts[:depth] == relative.parts[:depth]
        if name in private and (public or not same):
            yield f'{place}: "{name}" is private: only .cpp files of its room may include it'
        if not same and other not in layers[room]:
            yield f'{place}: {"/".join(relative.parts[:-1])} may not use "{name}"; it may use: {" ".join(layers[room]) or "nothing"}'


def check(engine):
    """All messages for an engine folder, and the number of files read."""
    layers, heavy, private = read_layers(engine / "layers.txt")
    files = sorted(path for path in engine.rglob("*") if path.suffix in (".h", ".cpp"))
    messages = [message for path in files for message in check_file(engine, path.relative_to(engine), layers, heavy, private)]
    return messages, len(files)


def main():
    default = pathlib.Path(__file__).resolve().parents[2] / "engine"
    engine = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else default
    messages, count = check(engine)
    for message in messages:
        print(message)
    print(f"layers: {count} files, {len(messages)} forbidden includes")
    return 1 if messages or not count else 0


if __name__ == "__main__":
    sys.exit(main())
