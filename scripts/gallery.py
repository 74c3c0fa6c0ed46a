#!/usr/bin/env python3
"""Runs the shipped scenes at preview size, takes a picture of each and writes docs/gallery.md.

    scripts/gallery.py [--knead build/release/knead] [--full] [SCENE ...]

Preview size: a grid spacing at which a scene has at most about 60,000 particles and runs for about a minute at most; --full runs the
scenes as they are. With names of scenes only those are run; the others keep their entry in docs/gallery.md. Runs are in runs/gallery,
pictures in docs/pictures/gallery.
"""
import argparse
import json
import math
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PICTURES = ROOT / "docs" / "pictures" / "gallery"
PAGE = ROOT / "docs" / "gallery.md"
PARTICLES = 60_000
PARTICLE_STEPS = {"mpm": 600_000_000, "sph": 15_000_000}  # of a run: a minute at ten million and at a quarter million per second
LIMIT = 5_000_000  # bytes of all pictures together

# The share of a run at which it looks best; 0.6 where a scene is not here.
MOMENT = {"default": 0.5, "dam_break": 0.45, "jelly_cubes": 0.45, "metal_twist": 1.0, "metal_plate": 1.0, "sand_column": 0.22, "paddle": 0.25, "cream_coil": 0.9, "snow_ball": 0.7,
          "hourglass": 0.8, "viscous_sheet": 0.8, "rubber_rings": 0.3, "silicone_press": 0.48, "ball_rain": 0.72, "cream_cherries": 1.0,
          "sheet_statue": 0.4, "three_viscosities": 0.15, "elastic_twist": 0.5, "car_crash": 0.9, "sofa_tear": 0.4, "damping": 0.25,
          "two_cuboids": 0.2, "three_cuboids": 0.35, "soft_zoo": 0.8, "melt_and_reassemble": 0.5, "four_melting_bodies": 0.6}

HEAD = """# Gallery

The scenes of [scenes/](../scenes), each as `make gallery` ran and pictured it,
{size}.
What the scenes are about and what to look at is in [scenes.md](scenes.md). Run times are those of one machine: {machine}.
"""


def quiet(*words):
    result = subprocess.run([str(word) for word in words], capture_output=True, text=True, cwd=ROOT)
    if result.returncode:
        sys.exit(f"gallery: {' '.join(map(str, words))} ended with {result.returncode}:\n{result.stderr.strip()}")
    return result.stdout


def description(scene):
    """The first sentence of the comment that the scene begins with."""
    lines = []
    for line in scene.read_text().splitlines():
        if not line.startswith("//") or not line[2:].strip():
            break
        lines.append(line[2:].strip())
    sentence = " ".join(lines)
    return re.split(r"(?<=[.!?])\s", sentence, maxsplit=1)[0] if sentence else scene.stem.replace("_", " ")


def preview_spacing(knead, scene):
    """A grid spacing, in two digits, for which neither number above is exceeded; None when the scene is small enough as it is."""
    answer = json.loads(quiet(knead, "check", scene, "--json"))
    solver = re.search(r'"type": "(mpm|sph)"', scene.read_text())[1]
    work = answer["particles"] * answer["steps_per_frame"] * answer["frames"]
    # Particles go with the third power of the spacing, and the time step with the spacing.
    factor = max((answer["particles"] / PARTICLES) ** (1 / 3), (work / PARTICLE_STEPS[solver]) ** (1 / 4))
    if factor <= 1:
        return None
    dx = answer["dx"] * factor
    step = 10 ** (math.floor(math.log10(dx)) - 1)
    return float(f"{math.ceil(dx / step) * step:.12g}")


def make_entry(knead, scene, full):
    """Runs one scene and takes its picture; returns its part of the page and the name of the machine."""
    spacing = None if full else preview_spacing(knead, scene)
    change = [] if spacing is None else ["--set", f"solver.dx={spacing:g}"]
    run = ROOT / "runs" / "gallery" / scene.stem
    print(f"{scene.stem}: running", *change, flush=True)
    quiet(knead, "run", scene, "-o", run, "--overwrite", "--quiet", *change)
    told = json.loads((run / "run.json").read_text())
    frame = round(MOMENT.get(scene.stem, 0.6) * told["frames"])
    rendered, picture = run / "gallery.png", PICTURES / f"{scene.stem}.jpg"
    PICTURES.mkdir(parents=True, exist_ok=True)
    quiet(knead, "render", run, "--frame", frame, "--size", "640x360", "-o", rendered, "--quiet")
    quiet("ffmpeg", "-loglevel", "error", "-y", "-i", rendered, "-q:v", "2", picture)
    command = " ".join(["knead", "run", f"scenes/{scene.name}", "-o", f"runs/{scene.stem}", *change])
    words = (f"{told['particles']:,} particles, {told['time']:g} s in {told['frames']} frames and {told['steps']:,} steps: "
             f"{told['wall_seconds']:.0f} s. The picture is frame {frame}.")
    machine = f"{told['machine']['cpu']}, {told['threads']} threads"
    entry = (f"## {told['scene']['name']}\n\n{description(scene)}\n\n![{told['scene']['name']}]({picture.relative_to(PAGE.parent)})\n\n"
             f"```\n{command}\n```\n\n{words}\n")
    return entry, machine


def old_entries():
    """The parts of the page as it is, by the name of the picture."""
    text = PAGE.read_text() if PAGE.exists() else ""
    parts = re.split(r"(?m)^(?=## )", text)[1:]
    return {match[1]: part.rstrip() + "\n" for part in parts if (match := re.search(r"gallery/(\w+)\.jpg", part))}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--knead", default=ROOT / "build" / "release" / "knead", help="the program")
    parser.add_argument("--full", action="store_true", help="scenes at their own size")
    parser.add_argument("scenes", nargs="*", help="names such as dam_break; all when absent")
    arguments = parser.parse_args()
    knead = pathlib.Path(arguments.knead).resolve()
    scenes = sorted((ROOT / "scenes").glob("*.json"), key=lambda path: (path.stem != "default", path.stem))
    unknown = set(arguments.scenes) - {scene.stem for scene in scenes}
    if unknown:
        sys.exit(f"gallery: no such scene: {', '.join(sorted(unknown))}")
    entries = old_entries()
    size = "at its own size" if arguments.full else f"with a coarser grid where it is larger than {PARTICLES:,} particles or a minute"
    for scene in scenes:
        if arguments.scenes and scene.stem not in arguments.scenes:
            continue
        entries[scene.stem], machine = make_entry(knead, scene, arguments.full)
        parts = [entries[other.stem] for other in scenes if other.stem in entries]
        PAGE.write_text(HEAD.format(size=size, machine=machine) + "\n" + "\n".join(parts))
    total = sum(path.stat().st_size for path in PICTURES.glob("*.jpg"))
    print(f"{PAGE.relative_to(ROOT)}: {len(entries)} scenes, pictures of {total / 1e6:.1f} MB")
    if total > LIMIT:
        sys.exit(f"gallery: the pictures have {total} bytes, more than {LIMIT}")


if __name__ == "__main__":
    main()
