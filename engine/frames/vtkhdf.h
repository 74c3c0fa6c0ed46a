// All frames of a run in one VTKHDF file (version 2.0, UnstructuredGrid of vertices), which ParaView plays.
//
// /VTKHDF: Points, Connectivity, Offsets, Types, PointData/NAME hold the frames one after the other; NumberOfPoints,
// NumberOfCells, NumberOfConnectivityIds have one entry, one part, per frame; Steps (NSteps, Values, PartOffsets, ...)
// says which part is which time. A reader that knows no Steps (VTK 9.1) takes the frames for the parts of one grid: it
// shows them all at once, or frame k alone when asked for piece k of NSteps.
// /knead, which VTK leaves alone: FrameIndex, the order of the columns, the names of the bodies.
//
// Decisions. Appending is a transaction on the file in place (journaled_file.h): its cost is that of the new frame, not
// of the whole file, and a crash or a full disk leaves the frames before. Every vertex cell is the same, so Types is
// never written (its fill value is VTK_VERTEX), and Connectivity and Offsets are compressed to next to nothing.
// Taking frames back (for --resume) copies the frames to keep into a new file and renames it: rare, simple, and the
// file is then the same, byte for byte, as that of a run without interruption.
// HDF5 as packaged is not safe for threads: call these functions from one thread at a time.
#pragma once
#include <cstddef>
#include <string>

#include "frames/frame.h"

namespace knead {

// Adds a frame at the end of the file, and makes the file if there is none. The columns of all frames must be the same.
// Throws SimulationError when it cannot; the file is then as before.
void append_vtkhdf(const Frame& frame, const std::string& path);

// Keeps the frames whose index is below `first_removed`, and removes the file when there are none. No file: nothing happens.
void truncate_vtkhdf(const std::string& path, int first_removed);

std::size_t vtkhdf_frame_count(const std::string& path);

// The step-th frame of the file. Throws InputError when the file is not one of ours or has no such step.
Frame read_vtkhdf_frame(const std::string& path, std::size_t step);

}  // namespace knead
