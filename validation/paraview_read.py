"""Check the frames of a run with ParaView itself, without a window:

    pvbatch validation/paraview_read.py DIR [PICTURE.png]

frames.pvd must give every frame at its time, with the positions and velocities of the PLY files if there are any. frames.vtkhdf is
checked in the same way from ParaView 5.12 on; before, ParaView knows no time steps in it. With PICTURE.png the last frame is
rendered as points, coloured by the length of the velocity. Exits with 1 at the first difference.
"""
import pathlib
import sys

import numpy as np
from paraview import servermanager
from paraview.simple import (ColorBy, GetActiveViewOrCreate, GetParaViewVersion, OpenDataFile, Render, SaveScreenshot, Show,
                             UpdateScalarBars, VTKHDFReader)
from vtkmodules.util.numpy_support import vtk_to_numpy


def read_ply(path):
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
        return np.fromfile(file, names, count)


def check(reader, name, folder):
    reader.UpdatePipelineInformation()
    times = list(reader.TimestepValues)
    files = sorted((folder / "frames").glob("frame_*.ply"))
    if files and len(files) != len(times):
        sys.exit(f"{name}: {len(times)} times, but {len(files)} PLY files")
    for index, time in enumerate(times):
        reader.UpdatePipeline(time)
        data = servermanager.Fetch(reader)
        points = vtk_to_numpy(data.GetPoints().GetData())
        velocity = vtk_to_numpy(data.GetPointData().GetArray("velocity"))
        if data.GetNumberOfCells() != len(points) or not np.isfinite(points).all():
            sys.exit(f"{name}: frame {index}: not a vertex per particle, or not finite")
        if files:
            rows = read_ply(files[index])
            if not np.array_equal(points, np.stack([rows[c] for c in "xyz"], -1)):
                sys.exit(f"{name}: frame {index}: positions differ from {files[index]}")
            if not np.array_equal(velocity, np.stack([rows[c] for c in ("vx", "vy", "vz")], -1)):
                sys.exit(f"{name}: frame {index}: velocities differ from {files[index]}")
    print(f"{name}: {len(times)} frames from {times[0]:g} s to {times[-1]:g} s, {len(points)} points in the last one")


def picture(reader, path):
    view = GetActiveViewOrCreate("RenderView")
    view.ViewSize = [960, 540]
    view.ViewTime = reader.TimestepValues[-1]
    shown = Show(reader, view)
    shown.SetRepresentationType("Point Gaussian")
    shown.ShaderPreset = "Sphere"
    bounds = reader.GetDataInformation().GetBounds()
    shown.GaussianRadius = max(bounds[1] - bounds[0], bounds[3] - bounds[2], bounds[5] - bounds[4]) / 180
    ColorBy(shown, ("POINTS", "velocity", "Magnitude"))
    shown.RescaleTransferFunctionToDataRange(True)
    UpdateScalarBars(view)
    view.ResetCamera()
    camera = view.GetActiveCamera()
    camera.Azimuth(25)
    camera.Elevation(20)
    Render(view)
    SaveScreenshot(str(path), view)


folder = pathlib.Path(sys.argv[1])
pvd = OpenDataFile(str(folder / "frames.pvd"))
check(pvd, "frames.pvd", folder)
if GetParaViewVersion() < (5, 12):
    print("frames.vtkhdf: this ParaView knows no time steps in it, not checked")
elif (folder / "frames.vtkhdf").exists():
    check(VTKHDFReader(FileName=[str(folder / "frames.vtkhdf")]), "frames.vtkhdf", folder)
if len(sys.argv) > 2:
    picture(pvd, sys.argv[2])
print(f"ParaView {GetParaViewVersion()} reads all of them")
