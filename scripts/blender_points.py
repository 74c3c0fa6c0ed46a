"""Shows the PLY frames of a run in Blender, from 3.4 on, and keeps up with its time line.

    blender --python scripts/blender_points.py -- DIR [RADIUS]

Every body becomes an object with a vertex per particle, drawn as spheres of RADIUS metres (0.006 when absent), and every column
of the frames becomes an attribute under its name: velocity, pressure, J, ... Frame 0 of the run is frame 0 of the time line.
"""
import pathlib
import re
import sys

import bpy
import numpy

TYPES = {"float": "<f4", "int": "<i4"}


def read_frame(path):
    """The rows of a PLY frame as a structured array, and the names of its bodies."""
    columns, bodies, count = [], [], 0
    with open(path, "rb") as file:
        for line in file:
            words = line.decode(errors="replace").split()
            if words[:2] == ["comment", "body"]:
                bodies.append(" ".join(words[3:]))
            elif words[0] == "element":
                count = int(words[2])
            elif words[0] == "property":
                columns.append((words[2], TYPES[words[1]]))
            elif words[0] == "end_header":
                break
        return numpy.fromfile(file, columns, count), bodies


def sphere_nodes(radius):
    """Geometry nodes that draw vertices as spheres."""
    group = bpy.data.node_groups.new("knead points", "GeometryNodeTree")
    group.inputs.new("NodeSocketGeometry", "Geometry")
    group.outputs.new("NodeSocketGeometry", "Geometry")
    points = group.nodes.new("GeometryNodeMeshToPoints")
    points.inputs["Radius"].default_value = radius
    material = group.nodes.new("GeometryNodeSetMaterial")
    given, result = group.nodes.new("NodeGroupInput"), group.nodes.new("NodeGroupOutput")
    group.links.new(given.outputs[0], points.inputs["Mesh"])
    group.links.new(points.outputs[0], material.inputs["Geometry"])
    group.links.new(material.outputs[0], result.inputs[0])
    return group, material


def make_object(name, index, radius):
    mesh = bpy.data.meshes.new(name)
    item = bpy.data.objects.new(name, mesh)
    item.rotation_euler[0] = numpy.pi / 2  # y is up in the run, z in Blender
    bpy.context.scene.collection.objects.link(item)
    shade = bpy.data.materials.new(name)
    hue = (0.6 + 0.381966 * index) % 1
    shade.diffuse_color[:3] = [0.5 + 0.4 * numpy.cos(2 * numpy.pi * (hue + shift)) for shift in (0, 1 / 3, 2 / 3)]
    shade.use_nodes = True
    shade.node_tree.nodes["Principled BSDF"].inputs["Base Color"].default_value = shade.diffuse_color
    group, material = sphere_nodes(radius)
    material.inputs["Material"].default_value = shade
    item.modifiers.new("spheres", "NODES").node_group = group
    return item


def fill(mesh, rows):
    """The mesh with one vertex per row, and its attributes."""
    if len(mesh.vertices) != len(rows):
        mesh.clear_geometry()
        mesh.vertices.add(len(rows))
    values = {name: rows[name] for name in rows.dtype.names if name not in ("x", "y", "z", "vx", "vy", "vz", "body")}
    values["velocity"] = numpy.stack([rows[name] for name in ("vx", "vy", "vz")], axis=-1)
    mesh.vertices.foreach_set("co", numpy.stack([rows[name] for name in "xyz"], axis=-1).ravel())
    for name, column in values.items():
        kind = "FLOAT_VECTOR" if column.ndim == 2 else "INT" if column.dtype.kind == "i" else "FLOAT"
        attribute = mesh.attributes.get(name) or mesh.attributes.new(name, kind, "POINT")
        attribute.data.foreach_set("vector" if column.ndim == 2 else "value", numpy.ascontiguousarray(column).ravel())
    mesh.update()


def load(folder, radius=0.006):
    files = {int(match[1]): path for path in pathlib.Path(folder, "frames").iterdir()
             if (match := re.fullmatch(r"frame_(\d+)\.ply", path.name))}
    if not files:
        sys.exit(f"{folder}: there are no frames/frame_*.ply here; run with --format ply")
    objects = {}

    def show(scene, _=None):
        shown = max((index for index in files if index <= scene.frame_current), default=min(files))
        try:
            rows, bodies = read_frame(files[shown])
        except (OSError, ValueError, KeyError) as error:
            print(f"{files[shown]}: {error}")
            return
        for index, name in enumerate(bodies):
            if index not in objects:
                objects[index] = make_object(name, index, radius)
            fill(objects[index].data, rows[rows["body"] == index])

    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = min(files), max(files)
    bpy.app.handlers.frame_change_pre.append(show)
    scene.frame_set(min(files))
    return objects


if __name__ == "__main__":
    arguments = sys.argv[sys.argv.index("--") + 1:] if "--" in sys.argv else []
    if not 1 <= len(arguments) <= 2:
        sys.exit(__doc__)
    for item in list(bpy.data.objects):
        if item.name == "Cube":
            bpy.data.objects.remove(item)
    load(arguments[0], *map(float, arguments[1:]))
