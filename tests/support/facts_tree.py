"""Unpacks tests/fixtures/facts/NAME.tree: python3 facts_tree.py FILE DIR. Its README has the form."""

import os
import pathlib
import sys


def _put(root, path, text):
    file = root / path.lstrip("/")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def _link(root, path, target):
    link = root / path.lstrip("/")
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(target)


def _block(root, folder, name, number):
    (root / folder.lstrip("/")).mkdir(parents=True, exist_ok=True)
    _put(root, f"{folder}/dev", number + "\n")
    up = "../.." + folder[len("/sys"):]
    _link(root, f"/sys/class/block/{name}", up)
    _link(root, f"/sys/dev/block/{number}", up)


def unpack(file, folder):
    """`folder` is made."""
    root = pathlib.Path(folder)
    root.mkdir(parents=True, exist_ok=True)
    places = {}  # of disks
    lines = pathlib.Path(file).read_text().splitlines()
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        words = line.split()
        if not words or line.startswith("#"):
            continue
        if words[0] == "disk":
            _, name, number, place = words
            places[name] = f"{place}/{name}"
            _block(root, places[name], name, number)
            _link(root, f"{places[name]}/device", "..")
        elif words[0] == "part":
            _, disk, name, number = words
            _block(root, f"{places[disk]}/{name}", name, number)
            _put(root, f"{places[disk]}/{name}/partition", "1\n")
        elif words[0] == "made":
            _, name, number, *parts = words
            _block(root, f"/sys/devices/virtual/block/{name}", name, number)
            for part in parts:
                _link(root, f"/sys/devices/virtual/block/{name}/slaves/{part}", f"../../{part}")
        elif " -> " in line:
            _link(root, *line.split(" -> "))
        elif line.endswith(":"):
            text = ""
            while at < len(lines) and lines[at].startswith("  "):
                text += lines[at][2:] + "\n"
                at += 1
            _put(root, line[:-1], text)
        else:
            _put(root, *[part + end for part, end in zip(line.split(": ", 1), ("", "\n"))])
    return root


if __name__ == "__main__":
    if len(sys.argv) != 3 or os.path.exists(sys.argv[2]):
        sys.exit("usage: facts_tree.py FILE DIR, which must not be there yet")
    unpack(sys.argv[1], sys.argv[2])
