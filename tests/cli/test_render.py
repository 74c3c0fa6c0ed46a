"""knead render from outside: test_render.py KNEAD. One small run is made once; each test works on a copy of it."""
import json
import os
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import zlib
from pathlib import Path

KNEAD = sys.argv.pop(1)

SCENE = {
    "knead": 1, "name": "drop", "duration": 0.25, "fps": 24,
    "solver": {"type": "mpm", "dx": 0.05},
    "materials": {
        "jelly": {"density": 1000, "elasticity": {"type": "neo_hookean", "youngs_modulus": 2e4, "poisson_ratio": 0.3}},
        "water": {"density": 1000, "elasticity": {"type": "eos", "bulk_modulus": 2e4}},
    },
    "bodies": [
        {"name": "ball", "material": "jelly", "color": [0.1, 0.7, 0.2],
         "shape": {"type": "sphere", "center": [0.3, 0.8, 0.3], "radius": 0.2}},
        {"name": "pool", "material": "water", "shape": {"type": "box", "min": [0, 0, 0], "max": [0.6, 0.2, 0.6]}},
    ],
    "colliders": [
        {"name": "floor", "shape": {"type": "plane", "point": [0, 0, 0], "normal": [0, 1, 0]}, "contact": "separate"},
        {"name": "wall", "shape": {"type": "plane", "point": [0, 0, 0], "normal": [1, 0, 0]}, "contact": "separate"},
        {"name": "post", "shape": {"type": "capsule", "base": [1, 0, 0], "axis": [0, 0.5, 0], "radius": 0.05}},
    ],
}


def png_pixels(path):
    """Width, height and the raw rows of an 8-bit RGB file, by a reader of its own (filters are undone)."""
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n", path
    place, packed = 8, b""
    while place < len(data):
        size, kind = struct.unpack(">I4s", data[place:place + 8])
        if kind == b"IHDR":
            width, height, depth, color = struct.unpack(">IIBB", data[place + 8:place + 18])
            assert (depth, color) == (8, 2)
        if kind == b"IDAT":
            packed += data[place + 8:place + 8 + size]
        place += size + 12
    raw, rows, stride = zlib.decompress(packed), [], 3 * width
    for y in range(height):
        line = bytearray(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        assert raw[y * (stride + 1)] in (0, 1), "only the filters none and sub are expected"
        if raw[y * (stride + 1)] == 1:
            for i in range(3, stride):
                line[i] = (line[i] + line[i - 3]) & 255
        rows.append(bytes(line))
    return width, height, rows


class Render(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.base = Path(cls.temporary.name)
        scene = cls.base / "scene.json"
        scene.write_text(json.dumps(SCENE))
        subprocess.run([KNEAD, "run", str(scene), "-o", str(cls.base / "made"), "--quiet"], check=True, timeout=120)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def setUp(self):
        self.run_folder = self.base / "run"
        shutil.copytree(self.base / "made", self.run_folder)

    def tearDown(self):
        shutil.rmtree(self.run_folder)

    def render(self, *arguments, code=0, **options):
        result = subprocess.run([KNEAD, "render", str(self.run_folder), *map(str, arguments)], capture_output=True, text=True, timeout=120, **options)
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        return result.stderr

    def small(self, *arguments, **options):
        return self.render("--size", "160x90", *arguments, **options)

    def pictures(self):
        return sorted((self.run_folder / "preview").iterdir())

    def test_all_frames_become_pictures_and_a_movie(self):
        words = self.small()
        self.assertEqual([p.name for p in self.pictures()], [f"frame_{i:06d}.png" for i in range(7)])
        self.assertEqual(png_pixels(self.pictures()[3])[:2], (160, 90))
        self.assertIn(b"avc1", (self.run_folder / "preview.mp4").read_bytes())
        self.assertIn("preview.mp4", words)
        self.assertFalse(list(self.run_folder.rglob("*.part")))

    def test_the_ball_has_the_colour_of_the_scene(self):
        self.small("--frame", 0)
        _, _, rows = png_pixels(self.pictures()[0])
        green = sum(row[i + 1] > row[i] + 40 and row[i + 1] > row[i + 2] + 40 for row in rows for i in range(0, len(row), 3))
        self.assertGreater(green, 50)

    def test_a_rigid_body_is_drawn_where_it_is_in_each_frame(self):
        scene = {"knead": 1, "duration": 0.25, "fps": 8, "solver": {"type": "sph", "dx": 0.1},
                 "materials": {"jelly": {"density": 1000, "elasticity": {"type": "linear", "youngs_modulus": 2e4, "poisson_ratio": 0.3}}},
                 "bodies": [{"name": "cube", "material": "jelly", "shape": {"type": "box", "min": [0.6, 0, 0], "max": [0.9, 0.3, 0.3]}}],
                 "rigid_bodies": [{"name": "ball", "density": 500, "color": [0.1, 0.7, 0.2],
                                   "shape": {"type": "sphere", "center": [0.1, 0.8, 0.1], "radius": 0.15}}],
                 "colliders": [{"name": "floor", "shape": {"type": "plane", "point": [0, 0, 0], "normal": [0, 1, 0]}}]}
        (self.base / "rigid.json").write_text(json.dumps(scene))
        subprocess.run([KNEAD, "run", str(self.base / "rigid.json"), "-o", str(self.run_folder), "--overwrite", "--quiet"], check=True, timeout=120)
        heights = []
        for frame in (0, 2):
            self.small("--frame", frame)
            _, _, rows = png_pixels(self.run_folder / "preview" / f"frame_{frame:06d}.png")
            green = [y for y, row in enumerate(rows) for i in range(0, len(row), 3) if row[i + 1] > row[i] + 40 and row[i + 1] > row[i + 2] + 40]
            self.assertGreater(len(green), 50)
            heights.append(sum(green) / len(green))
        self.assertGreater(heights[1], heights[0] + 5)  # it has fallen by 0.3 m

    def test_pictures_that_are_up_to_date_are_kept_and_others_made_anew(self):
        self.small()
        before = {p.name: (p.stat().st_mtime_ns, p.read_bytes()) for p in self.pictures()}
        self.small()
        self.assertEqual(before, {p.name: (p.stat().st_mtime_ns, p.read_bytes()) for p in self.pictures()})
        later = time.time() + 5
        os.utime(self.run_folder / "frames" / "frame_000002.ply", (later, later))
        self.small()
        changed = [p.name for p in self.pictures() if p.stat().st_mtime_ns != before[p.name][0]]
        self.assertEqual(changed, ["frame_000002.png"])
        self.assertEqual(self.pictures()[2].read_bytes(), before["frame_000002.png"][1])
        self.small("--time-stamp")
        self.assertTrue(all(p.read_bytes() != before[p.name][1] for p in self.pictures()))

    def test_the_number_of_threads_changes_nothing(self):
        one, two = self.base / "one.png", self.base / "two.png"
        self.small("--frame", 4, "--threads", 1, "-o", one)
        self.small("--frame", 4, "--threads", 2, "-o", two)
        self.assertEqual(one.read_bytes(), two.read_bytes())

    def test_a_damaged_frame_is_named_and_skipped(self):
        frame = self.run_folder / "frames" / "frame_000003.ply"
        frame.write_bytes(frame.read_bytes()[:500])
        words = self.small()
        self.assertIn(str(frame), words)
        self.assertIn("skipped", words)
        self.assertEqual(len(self.pictures()), 6)
        self.assertTrue((self.run_folder / "preview.mp4").exists())
        self.assertIn(str(frame), self.small("--frame", 3, code=2))

    def test_colours_by_attribute_bring_a_legend(self):
        self.render("--size", "640x360", "--frame", 5, "--color", "velocity", "--range", "0,30", "-o", self.base / "legend.png")
        _, _, rows = png_pixels(self.base / "legend.png")
        corner = [tuple(rows[y][3 * x:3 * x + 3]) for y in range(100) for x in range(500, 640)]
        self.assertTrue(any(r > 200 and g > 200 and b < 90 for r, g, b in corner))  # the yellow end of viridis

    def test_a_surface_is_drawn_instead_of_the_particles(self):
        before = self.base / "before.png"
        self.small("--frame", 0, "-o", before)
        folder = self.run_folder / "surface" / "ball"
        folder.mkdir(parents=True)
        header = ("ply\nformat binary_little_endian 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
                  "element face 1\nproperty list uchar int vertex_indices\nend_header\n")
        (folder / "frame_000000.ply").write_bytes(header.encode() + struct.pack("<9f", 0, 0.9, 0.3, 0.6, 0.9, 0.3, 0.3, 0.7, 0.3) +
                                                  struct.pack("<B3i", 3, 0, 1, 2))
        after, points = self.base / "after.png", self.base / "points.png"
        self.small("--frame", 0, "-o", after)
        self.small("--frame", 0, "--points", "-o", points)
        self.assertNotEqual(png_pixels(before), png_pixels(after))
        self.assertEqual(png_pixels(before), png_pixels(points))

    def test_wrong_calls_are_answered_with_what_would_be_right(self):
        self.assertIn('did you mean "velocity"', self.small("--color", "velocty", code=2))
        self.assertIn("1280x720", self.render("--size", "12", code=2))
        self.assertIn("frames 0 to 6", self.small("--frame", 99, code=2))
        self.assertIn("viridis", self.small("--colormap", "jet", code=2))
        self.assertIn("MIN below MAX", self.small("--color", "J", "--range", "2,1", code=2))
        self.assertIn("--frame", self.small("-o", "x.png", code=2))
        shutil.rmtree(self.run_folder / "frames")
        self.assertIn("no frames", self.small(code=2))

    def test_without_ffmpeg_the_pictures_are_there(self):
        words = self.small(code=2, env={**os.environ, "PATH": "/nonexistent"})
        self.assertIn("ffmpeg is missing", words)
        self.assertEqual(len(self.pictures()), 7)

    def test_ctrl_c_keeps_whole_pictures(self):
        process = subprocess.Popen([KNEAD, "render", str(self.run_folder), "--size", "640x360"], stderr=subprocess.PIPE, text=True)
        while not (self.run_folder / "preview" / "frame_000001.png").exists():
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        self.assertLess(len(self.pictures()), 7)
        for picture in self.pictures():
            self.assertEqual(png_pixels(picture)[:2], (640, 360))

    def test_following_a_run_draws_all_of_it_with_one_camera(self):
        shutil.rmtree(self.run_folder)
        run = subprocess.Popen([KNEAD, "run", str(self.base / "scene.json"), "-o", str(self.run_folder), "--quiet", "--set", "solver.dx=0.025"])
        while not (self.run_folder / "run.json").exists():
            time.sleep(0.01)
        self.small("--follow")
        self.assertEqual(run.wait(timeout=120), 0)
        self.assertEqual(len(self.pictures()), 7)
        cameras = {picture.read_bytes().split(b" camera ")[1].split(b" size")[0] for picture in self.pictures()}
        self.assertEqual(len(cameras), 1)

    def test_following_a_run_that_was_killed_ends_with_a_sentence(self):
        shutil.rmtree(self.run_folder)
        run = subprocess.Popen([KNEAD, "run", str(self.base / "scene.json"), "-o", str(self.run_folder), "--quiet", "--set", "duration=100"])
        while not (self.run_folder / "frames" / "frame_000001.ply").exists():
            time.sleep(0.01)
        run.kill()
        run.wait()
        for command, words in (("surface", []), ("render", ["--size", "64x36", "--every", "1000000"])):
            ended = subprocess.run([KNEAD, command, str(self.run_folder), "--follow", *words], capture_output=True, text=True, timeout=100)
            self.assertEqual(ended.returncode, 0, ended.stderr)
            self.assertIn("the run has died; no more frames will come", ended.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
