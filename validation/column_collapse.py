#!/usr/bin/env python3
"""Run-out of a collapsing column of sand against the published scaling of experiments.

    column_collapse.py KNEAD FOLDER [--aspects 0.5,1,2,3] [--cells 12] [--angle 31] [--cone compression] [--radius 0.1]

Simulates a cylinder of dry sand of radius r0 and height a r0 on a rough floor for every aspect ratio a, one run folder each in
FOLDER, and prints a row of the table in docs/validation/column_collapse.md: the run-out (r - r0) / r0, the height h / r0, and what
Lube, Huppert, Sparks and Hallworth (2004) found for axisymmetric columns of sand, sugar, rice and couscous:

    (r - r0) / r0 = 1.24 a  (a < 1.7),  1.6 sqrt(a)  (a > 1.7);      h / r0 = a  (a < 1),  0.88 a^(1/6)  (a > 1.7)

r is where the thickness of the deposit, averaged around the axis, falls below half a cell, h its thickness at the axis; r99 is the
radius that holds 99 % of the sand. A front that still moves in the last tenth of the run is marked with a *.
"""
import argparse
import json
import math
import os
import struct
import subprocess
import sys


def scene(aspect, arguments):
    radius, height = arguments.radius, aspect * arguments.radius
    return {
        "knead": 1,
        "name": f"column of aspect ratio {aspect:g}",
        "duration": round(7 * math.sqrt(height / 9.81), 3),  # in the experiments all rests after 3 sqrt(h0 / g)
        "fps": 20 / round(7 * math.sqrt(height / 9.81), 3),
        "solver": {"type": "mpm", "dx": radius / arguments.cells},
        "materials": {
            "sand": {
                "density": 1600,
                "elasticity": {"type": "hencky", "youngs_modulus": arguments.stiffness, "poisson_ratio": 0.3},
                "plasticity": {"type": "drucker_prager", "friction_angle": arguments.angle, "cone": arguments.cone},
            }
        },
        "bodies": [
            {"name": "column", "material": "sand", "sampling": {"method": "jitter", "per_cell": 8},
             "shape": {"type": "cylinder", "base": [0, 0, 0], "axis": [0, height, 0], "radius": radius}}
        ],
        "colliders": [
            {"name": "floor", "shape": {"type": "plane", "point": [0, 0, 0], "normal": [0, 1, 0]}, "contact": "sticky"}
        ],
    }


def read_positions(path):
    """(r, y) of every particle: distance from the axis and height."""
    layout, names, count = "<", [], 0
    with open(path, "rb") as file:
        for line in file:
            words = line.decode().split()
            if words[0] == "element":
                count = int(words[2])
            elif words[0] == "property":
                names.append(words[2])
                layout += {"float": "f", "double": "d", "int": "i"}[words[1]]
            elif words[0] == "end_header":
                break
        rows = struct.iter_unpack(layout, file.read(count * struct.calcsize(layout)))
    x, y, z = (names.index(axis) for axis in "xyz")
    return [(math.hypot(row[x], row[z]), row[y]) for row in rows]


def deposit(path, volume, dx):
    """Radius of the front, radius of 99 % of the sand, thickness at the axis."""
    particles = read_positions(path)
    radii = sorted(r for r, _ in particles)
    held = [0] * (int(radii[-1] / dx) + 2)
    for r in radii:
        held[int(r / dx)] += 1
    thickness = [n * volume / len(radii) / (math.pi * dx**2 * (2 * ring + 1)) for ring, n in enumerate(held)]
    last = max(ring for ring, thick in enumerate(thickness) if thick > dx / 2)
    # Linear between the middles of the last thick ring and the next one.
    part = (thickness[last] - dx / 2) / (thickness[last] - thickness[last + 1])
    middle = sorted(y for r, y in particles if r < 2 * dx)
    return (last + 0.5 + part) * dx, radii[int(0.99 * len(radii))], middle[int(0.99 * len(middle))]


def published(aspect):
    run_out = 1.24 * aspect if aspect < 1.7 else 1.6 * math.sqrt(aspect)
    height = aspect if aspect < 1 else 0.88 * aspect ** (1 / 6) if aspect > 1.7 else math.nan
    return run_out, height


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("knead")
    parser.add_argument("folder")
    parser.add_argument("--aspects", default="0.5,1,2,3")
    parser.add_argument("--cells", type=float, default=12, help="cells in the radius")
    parser.add_argument("--angle", type=float, default=31)
    parser.add_argument("--cone", default="compression")
    parser.add_argument("--radius", type=float, default=0.1)
    parser.add_argument("--stiffness", type=float, default=1e6, help="Young's modulus [Pa]")
    parser.add_argument("--threads", default="2")
    arguments = parser.parse_args()
    print("| a | cells | angle | cone | particles | run-out | r99 | published | ratio | height | published |\n|---|---|---|---|---|---|---|---|---|---|---|")
    for aspect in (float(word) for word in arguments.aspects.split(",")):
        name = f"a{aspect:g}_{arguments.cells:g}_{arguments.angle:g}_{arguments.cone}"
        run = os.path.join(arguments.folder, name)
        os.makedirs(arguments.folder, exist_ok=True)
        with open(run + ".json", "w", encoding="utf-8") as file:
            json.dump(scene(aspect, arguments), file, indent=1)
        command = [arguments.knead, "run", run + ".json", "-o", run, "--quiet", "--overwrite", "--threads", arguments.threads]
        if subprocess.run(command, check=False).returncode:
            sys.exit(f"{run}: knead failed")
        frames = sorted(os.listdir(os.path.join(run, "frames")))
        volume, r0, dx = math.pi * aspect * arguments.radius**3, arguments.radius, arguments.radius / arguments.cells
        front, most, height = deposit(os.path.join(run, "frames", frames[-1]), volume, dx)
        before = deposit(os.path.join(run, "frames", frames[-3]), volume, dx)[0]
        moving = "*" if abs(front - before) > 0.01 * r0 else ""
        run_out, expected = (front - r0) / r0, published(aspect)
        with open(os.path.join(run, "run.json"), encoding="utf-8") as file:
            particles = json.load(file)["particles"]
        print(f"| {aspect:g} | {arguments.cells:g} | {arguments.angle:g} | {arguments.cone} | {particles} | {run_out:.2f}{moving} | {most / r0 - 1:.2f} "
              f"| {expected[0]:.2f} | {run_out / expected[0]:.2f} | {height / r0:.2f} | {expected[1]:.2f} |", flush=True)


if __name__ == "__main__":
    main()
