"""Check the frames of a run with Blender itself, without a window:

    blender -b --factory-startup -noaudio --python-exit-code 1 --python validation/blender_read.py -- DIR [PICTURE.png]

PLY: scripts/blender_points.py must show every particle of the first, a middle and the last frame where the file says it is.
VDB: Blender must find the fog volume `density` in every file of the sequence, in the place of the particles.
USD: imported where this Blender is built with it (Debian's is not) and knows points (its manual: from 4.4 on).
With PICTURE.png the last frame is rendered by Cycles, particles and fog side by side. Exits with 1 at the first difference.
"""
import pathlib
import sys

import bpy
import numpy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "scripts"))
import blender_points  # noqa: E402


def check(condition, words):
    if not condition:
        sys.exit(f"blender_read: {words}")


def check_ply(folder):
    objects = blender_points.load(folder)
    scene = bpy.context.scene
    for index in (scene.frame_start, (scene.frame_start + scene.frame_end) // 2, scene.frame_end):
        scene.frame_set(index)
        rows, bodies = blender_points.read_frame(folder / "frames" / f"frame_{index:06d}.ply")
        for body, name in enumerate(bodies):
            own, mesh = rows[rows["body"] == body], objects[body].data
            positions = numpy.empty(3 * len(mesh.vertices), numpy.float32)
            mesh.vertices.foreach_get("co", positions)
            check(numpy.array_equal(positions.reshape(-1, 3), numpy.stack([own[c] for c in "xyz"], -1)), f"frame {index}, {name}: positions")
            values = numpy.empty(len(own), numpy.float32)
            mesh.attributes["pressure"].data.foreach_get("value", values)
            check(numpy.array_equal(values, own["pressure"]), f"frame {index}, {name}: pressure")
        print(f"PLY frame {index}: {len(rows)} particles in {len(bodies)} bodies")
    return objects


def check_vdb(folder):
    files = sorted((folder / "frames").glob("frame_*.vdb"))
    if not files:
        print("VDB: no files, nothing checked")
        return None
    # "sequence" would take them all; here each one is opened, which is what counts.
    for path in files:
        volume = bpy.data.volumes.new("frames")
        volume.filepath = str(path)
        check(volume.grids.load(), f"{path.name}: {volume.grids.error_message}")
        names = [grid.name for grid in volume.grids]
        check("density" in names, f"{path.name}: no density in {names}")
        grid = volume.grids["density"]
        check(grid.data_type == "FLOAT" and grid.load(), f"{path.name}: density is {grid.data_type}")
        if path != files[-1]:
            bpy.data.volumes.remove(volume)
    print(f"VDB: {len(files)} files with {', '.join(names)}")
    item = bpy.data.objects.new("fog", volume)
    item.rotation_euler[0] = numpy.pi / 2
    bpy.context.scene.collection.objects.link(item)
    bpy.context.view_layer.update()
    return item


def check_usd(folder):
    if not bpy.app.build_options.usd:
        print("USD: this Blender is built without it, nothing checked")
    elif bpy.app.version < (4, 4):
        print("USD: this Blender imports no points, nothing checked")
    elif (folder / "frames.usda").exists():
        before = set(bpy.data.objects)
        bpy.ops.wm.usd_import(filepath=str(folder / "frames.usda"))
        found = [item for item in set(bpy.data.objects) - before if item.type == "POINTCLOUD"]
        check(found, "frames.usda: no point clouds")
        print("USD:", ", ".join(item.name for item in found))


def render(path, objects, fog):
    scene = bpy.context.scene
    corners = numpy.array([item.matrix_world @ vertex.co for item in objects.values() for vertex in item.data.vertices])
    low, high = corners.min(0), corners.max(0)
    size, middle = (high - low).max(), (high + low) / 2
    if fog:
        fog.location[0] = 1.25 * (high - low)[0]
        middle[0] += 0.6 * (high - low)[0]
        shade = bpy.data.materials.new("fog")
        shade.use_nodes = True
        nodes = shade.node_tree.nodes
        nodes.remove(nodes["Principled BSDF"])  # a surface would hide the volume in a box
        volume = nodes.new("ShaderNodeVolumePrincipled")
        volume.inputs["Density"].default_value = 150 / size
        shade.node_tree.links.new(volume.outputs[0], nodes["Material Output"].inputs["Volume"])
        fog.data.materials.append(shade)
    camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
    target = bpy.data.objects.new("target", None)
    target.location = middle
    camera.location = middle + size * numpy.array([0.2, -3.6 if fog else -2.4, 1.1])
    camera.constraints.new("TRACK_TO").target = target
    sun = bpy.data.objects.new("sun", bpy.data.lights.new("sun", "SUN"))
    sun.data.energy, sun.rotation_euler[0] = 4, 0.6
    for item in (camera, target, sun):
        scene.collection.objects.link(item)
    scene.camera = camera
    scene.world.node_tree.nodes["Background"].inputs["Color"].default_value = (0.6, 0.7, 0.8, 1)
    scene.render.engine = "CYCLES"
    scene.cycles.samples = 24
    scene.cycles.use_denoising = False
    scene.render.resolution_x, scene.render.resolution_y = 960, 420
    scene.render.filepath = str(pathlib.Path(path).resolve())
    bpy.ops.render.render(write_still=True)


arguments = sys.argv[sys.argv.index("--") + 1:]
if not 1 <= len(arguments) <= 2:
    sys.exit(__doc__)
for default in list(bpy.data.objects):
    bpy.data.objects.remove(default)
run = pathlib.Path(arguments[0]).resolve()
shown, cloud = check_ply(run), check_vdb(run)
check_usd(run)
if len(arguments) > 1:
    render(arguments[1], shown, cloud)
print(f"Blender {bpy.app.version_string} reads all of them")
