#!/usr/bin/env python3
"""Check a frames.vtkhdf file with VTK's own reader.

    vtkhdf_read.py RUN/frames.vtkhdf [RUN/frames]

Every frame must open with the number of points that the file promises, one vertex cell per point and finite positions.
With the folder of PLY frames as second argument, positions, velocities and ids must be those of the PLY files, bit for bit.
VTK 9.2 and older know no time steps: there frame k is read as piece k of the file. Exits with 1 at the first difference.
"""
import glob
import os
import sys

import numpy as np
import vtk
from vtk.util.numpy_support import vtk_to_numpy


def read_ply(path):
    """The rows of a PLY frame as a structured array, and its time."""
    names, time, count = [], 0.0, 0
    with open(path, "rb") as file:
        for line in file:
            words = line.decode().split()
            if words[:2] == ["comment", "time"]:
                time = float(words[2])
            elif words[0] == "element":
                count = int(words[2])
            elif words[0] == "property":
                names.append((words[2], {"float": "<f4", "int": "<i4"}[words[1]]))
            elif words[0] == "end_header":
                break
        return np.fromfile(file, dtype=names, count=count), time


def read_frames(path, known_frames):
    """Yields (time or None, grid) for every frame in the file."""
    reader = vtk.vtkHDFReader()
    if not reader.CanReadFile(path):
        sys.exit(f"{path}: VTK {vtk.vtkVersion().GetVTKVersion()} cannot read it")
    reader.SetFileName(path)
    reader.UpdateInformation()
    information = reader.GetOutputInformation(0)
    key = vtk.vtkStreamingDemandDrivenPipeline.TIME_STEPS()
    if information.Has(key):
        for time in information.Get(key):
            reader.UpdateTimeStep(time)
            yield time, reader.GetOutputDataObject(0)
        return
    pieces = known_frames or count_parts(reader)
    for piece in range(pieces):
        reader.UpdatePiece(piece, pieces, 0)
        yield None, reader.GetOutputDataObject(0)


def count_parts(reader):
    """VTK 9.1 does not tell the number of parts: pieces from there on are empty when more are asked for."""
    pieces, limit = 0, 1 << 20
    while pieces < limit:
        reader.UpdatePiece(pieces, limit, 0)
        if reader.GetOutputDataObject(0).GetNumberOfPoints() == 0:
            break
        pieces += 1
    return pieces


def check(path, ply_folder):
    ply_files = sorted(glob.glob(os.path.join(ply_folder, "frame_*.ply"))) if ply_folder else []
    frames = 0
    for time, grid in read_frames(path, len(ply_files)):
        points = vtk_to_numpy(grid.GetPoints().GetData())
        data = grid.GetPointData()
        arrays = {data.GetArrayName(i): vtk_to_numpy(data.GetArray(i)) for i in range(data.GetNumberOfArrays())}
        problems = []
        if grid.GetNumberOfCells() != len(points) or set(np.unique(vtk_to_numpy(grid.GetCellTypesArray()))) - {vtk.VTK_VERTEX}:
            problems.append("cells are not one vertex per point")
        if not np.isfinite(points).all():
            problems.append("positions are not finite")
        if ply_files:
            rows, ply_time = read_ply(ply_files[frames])
            if time is not None and time != ply_time:
                problems.append(f"time {time} is not {ply_time}")
            for name, columns in (("position", "xyz"), ("velocity", ("vx", "vy", "vz")), ("id", ("id",))):
                expected = np.stack([rows[c] for c in columns], axis=-1)
                found = points if name == "position" else arrays[name].reshape(expected.shape)
                if not np.array_equal(found, expected):
                    problems.append(f"{name} differs from {ply_files[frames]}")
        if problems:
            sys.exit(f"{path}: frame {frames}: " + "; ".join(problems))
        print(f"frame {frames}: {len(points)} points, {', '.join(sorted(arrays))}")
        frames += 1
    if ply_files and frames != len(ply_files):
        sys.exit(f"{path}: {frames} frames, but {len(ply_files)} PLY files")
    print(f"VTK {vtk.vtkVersion().GetVTKVersion()} reads all {frames} frames")


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    check(sys.argv[1], sys.argv[2] if len(sys.argv) == 3 else None)
