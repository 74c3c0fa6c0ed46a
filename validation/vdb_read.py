#!/usr/bin/env python3
"""Check the VDB frames of a run with OpenVDB's own tools (Debian: libopenvdb-tools, python3-openvdb).

    /usr/bin/python3 validation/vdb_read.py DIR

vdb_print must list the same grids in every file, with a point grid per body. The fog volume `density`, read by OpenVDB's Python
module, must lie between 0 and 1, and its sum must be the volume of the particles: that of the first frame, times the mean J that
the PLY frames tell, to 10 % (voxels are limited to 1, so that compressed places lose some). Exits with 1 at the first difference.
"""
import pathlib
import shutil
import subprocess
import sys

try:
    import numpy
    import pyopenvdb
except ImportError as missing:
    sys.exit(f"vdb_read: {missing}; on Debian: apt-get install python3-openvdb python3-numpy, and run it by /usr/bin/python3")
if not shutil.which("vdb_print"):
    sys.exit("vdb_read: no vdb_print; on Debian: apt-get install libopenvdb-tools")


def mean_volume_ratio(path):
    names, count = [], 0
    with open(path, "rb") as file:
        for line in file:
            words = line.decode().split()
            if words[0] == "element":
                count = int(words[2])
            elif words[0] == "property":
                names.append((words[2], {"float": "<f4", "int": "<i4"}[words[1]]))
            elif words[0] == "end_header":
                break
        return numpy.fromfile(file, names, count)["J"].astype(float).mean()


def fog_volume(path):
    grid = pyopenvdb.read(str(path), "density")
    low, high = grid.evalMinMax()
    if grid.gridClass != "fog volume" or low < 0 or high > 1:
        sys.exit(f"{path}: density is {grid.gridClass} from {low} to {high}")
    return sum(item.value for item in grid.citerOnValues()) * grid.transform.voxelSize()[0] ** 3


frames = sorted(pathlib.Path(sys.argv[1], "frames").glob("frame_*.vdb"))
if not frames:
    sys.exit(f"{sys.argv[1]}: no frames/frame_*.vdb")
first_grids, first_volume = None, None
for frame in frames:
    listing = subprocess.run(["vdb_print", str(frame)], capture_output=True, text=True, check=True).stdout
    grids = [line.split()[0] for line in listing.splitlines() if line.startswith(("density", "points_"))]
    first_grids = first_grids or grids
    if grids != first_grids or not any(name.startswith("points_") for name in grids):
        sys.exit(f"{frame}: grids {grids}, not {first_grids}")
    volume, ply = fog_volume(frame), frame.with_suffix(".ply")
    ratio = mean_volume_ratio(ply) if ply.exists() else 1
    first_volume = first_volume or volume / ratio
    if ply.exists() and abs(volume / (first_volume * ratio) - 1) > 0.1:
        sys.exit(f"{frame}: volume {volume:.6g} m^3, but the particles have {first_volume * ratio:.6g}")
    print(f"{frame.name}: {', '.join(grids)}; {volume:.6g} m^3")
print(f"OpenVDB {'.'.join(map(str, pyopenvdb.LIBRARY_VERSION))} reads all {len(frames)} frames")
