"""knead report from outside: test_report.py KNEAD. Run folders are made by hand, so that each can be broken in its own way."""
import base64
import html.parser
import json
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib
from pathlib import Path

KNEAD = sys.argv.pop(1)
NASTY = '<script>alert("x")</script> & \'y\''

RUN = {
    "status": "finished", "version": "0.1.0", "threads": 2, "precision": "single", "machine": {"cpu": "a CPU", "cores": 2},
    "frames": 4, "frames_planned": 4, "fps": 24.0, "time": 4 / 24, "steps": 40, "retries": 0, "particles": 12345, "wall_seconds": 75.0,
    "particle_steps_per_second": 2.5e6, "peak_memory_bytes": 1.5e9, "command": "knead run scene.json -o run",
    "scene": {
        "knead": 1, "name": "a test", "solver": {"type": "mpm", "dx": 0.01},
        "materials": {"mud": {"density": 1800, "elasticity": {"type": "hencky", "youngs_modulus": 1e6, "poisson_ratio": 0.3}}},
        "bodies": [{"name": "heap", "material": "mud"}],
        "probes": [{"name": "energy", "type": "energy"}, {"name": "tip", "type": "point", "at": [0, 0, 0]}],
    },
}


def png(width, height):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = zlib.compress(b"".join(b"\0" + b"\x40\x80\xc0" * width for _ in range(height)))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


class Page(html.parser.HTMLParser):
    """Checks that tags are closed as opened, and collects tags, attributes and text."""
    VOID = {"meta", "img", "line", "path", "rect"}

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.attributes, self.text, self.errors = [], [], [], "", []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attributes]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attributes]

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.errors.append(tag)

    def handle_data(self, data):
        if not self.open or self.open[-1] != "style":
            self.text += data


class Report(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = Path(self.temporary.name) / "run"
        for part in ("frames", "probes", "preview"):
            (self.folder / part).mkdir(parents=True)
        self.write_run()
        rows = [f"{i},{i / 240},{1e-4 + i * 1e-6},12345,10,2,3,{'frame' if i % 10 == 0 else 'wave'},heap,0,{100 + i},{i % 7}"
                for i in range(1, 41)]
        self.write("stats.csv", "step,time,dt,particles,wall_ms,p2g_ms,g2p_ms,limit_rule,limit_body,retries,grid_blocks,iterations\n"
                   + "\n".join(rows) + "\n")
        self.write("probes/energy.csv", "time,kinetic,total\n" + "".join(f"{i / 24},{i * 1e6},{5e6}\n" for i in range(5)))
        self.write("probes/tip.csv", "time,x,y,z,vx,vy,vz\n" + "".join(f"{i / 24},{i},0,0,1,0,0\n" for i in range(5)))

    def tearDown(self):
        self.temporary.cleanup()

    def write(self, name, text):
        (self.folder / name).write_text(text)

    def write_run(self, **changes):
        self.write("run.json", json.dumps({**RUN, **changes}))

    def report(self, code=0):
        result = subprocess.run([KNEAD, "report", str(self.folder)], capture_output=True, text=True, timeout=60)
        self.assertEqual(result.returncode, code, result.stderr)
        if code:
            return result.stderr
        page = Page((self.folder / "report.html").read_text())
        self.assertEqual(page.errors, [])
        self.assertEqual(page.open, [])
        return page

    def test_a_run_gives_its_figures_its_plots_and_its_materials(self):
        page = self.report()
        for words in ("a test", "finished", "12,345", "1:15 min", "2.5 M", "1.5 GB", "mpm, dx = 0.01 m", "energy", "[MJ]", "tip: velocity",
                      "[m/s]", "Time step", "wave in heap", "90 %", "end of a frame", "10 %", "iterations", "grid blocks", "mud",
                      "1e+06 Pa", "hencky"):
            self.assertIn(words, page.text)
        self.assertGreater(page.tags.count("svg"), 5)
        self.assertIn("no picture", page.text)

    def test_the_shares_of_the_phases_are_those_of_stats_csv(self):
        text = self.report().text
        for words in ("p2g 20 %", "g2p 30 %", "other 50 %"):
            self.assertIn(words, text)

    def test_nothing_is_loaded_from_elsewhere_and_there_is_no_script(self):
        (self.folder / "preview" / "frame_000002.png").write_bytes(png(4, 2))
        page = self.report()
        self.assertNotIn("script", page.tags)
        self.assertNotIn("link", page.tags)
        for tag, name, value in page.attributes:
            if name in ("src", "href", "poster", "data", "xlink:href"):
                self.assertTrue(value.startswith("data:"), (tag, name, value[:40]))
        self.assertNotIn("url(", (self.folder / "report.html").read_text())

    def test_names_with_tags_in_them_stay_text(self):
        scene = json.loads(json.dumps(RUN["scene"]))
        scene["name"] = NASTY
        scene["materials"] = {NASTY: {"density": 1, "elasticity": {"type": NASTY}}}
        scene["bodies"] = [{"name": NASTY, "material": NASTY}]
        scene["probes"] = [{"name": "energy", "type": "force", "collider": NASTY}]
        self.write_run(scene=scene, status="failed", error=NASTY, version=NASTY, command=NASTY, machine={"cpu": NASTY})
        self.write("stats.csv", "step,time,dt,wall_ms,a_ms,limit_rule,limit_body\n1,0.1,1,1,1,wave,\"" + NASTY.replace('"', '""') + "\"\n")
        self.write("probes/energy.csv", f"time,{NASTY.replace(',', '')}\n0,1\n1,2\n")
        self.write("probes/<u>.csv", "time,<s>\n0,1\n1,2\n")
        page = self.report()
        for tag in ("script", "u", "s"):
            self.assertNotIn(tag, page.tags)
        self.assertIn("<script>alert(", page.text)

    def test_pictures_are_embedded_when_there_is_no_movie(self):
        for index in range(0, 30, 2):
            (self.folder / "preview" / f"frame_{index:06d}.png").write_bytes(png(4, 2))
        page = self.report()
        sources = [value for tag, name, value in page.attributes if tag == "img" and name == "src"]
        self.assertEqual(len(sources), 6)
        self.assertEqual(base64.b64decode(sources[0].split(",")[1]), png(4, 2))
        self.assertIn("frame 28, 1.17 s", page.text)

    def test_a_movie_is_embedded_unless_it_is_damaged_or_too_large(self):
        movie = self.folder / "preview.mp4"
        good = b"\0\0\0\x18ftypisom" + b"\0" * 100 + b"moov" + b"\0" * 100
        movie.write_bytes(good)
        sources = [value for tag, name, value in self.report().attributes if tag == "video" and name == "src"]
        self.assertEqual(base64.b64decode(sources[0].split(",")[1]), good)
        for broken, words in ((b"not a movie", "preview.mp4 is damaged"), (good + b"\0" * (11 << 20), "preview.mp4 has 11 MB")):
            movie.write_bytes(broken)
            page = self.report()
            self.assertNotIn("video", page.tags)
            self.assertIn(words, page.text)

    def test_what_is_missing_or_damaged_is_named_and_the_rest_is_there(self):
        (self.folder / "preview" / "frame_000001.png").write_bytes(b"half of a pict")
        self.write("probes/tip.csv", "time,x\n0,1\n0.5,2,7,8\n1,2\n1.5,")
        (self.folder / "probes" / "energy.csv").unlink()
        self.write("stats.csv", "")
        for index in (0, 2, 4):
            self.write(f"frames/frame_{index:06d}.ply", "ply\n")
        page = self.report()
        for words in ("preview/frame_000001.png is damaged", "probes/energy.csv is missing", "1 damaged row was skipped, the first in line 3",
                      "stats.csv: it is empty", "Missing frames: 1, 3.", "mud"):
            self.assertIn(words, page.text)
        self.assertEqual(page.tags.count("svg"), 1)

    def test_values_that_are_no_numbers_leave_gaps(self):
        self.write("probes/tip.csv", "time,x\n0,nan\n0.5,inf\n1,\n")
        self.write("probes/energy.csv", "time,kinetic\n0,1\n0.5,nan\n1,2\n1.5,3\n")
        self.assertIn("No values yet", self.report().text)
        self.assertNotIn("nan", [value for _, name, value in self.report().attributes if name in ("d", "x1", "y1")])

    def test_failed_interrupted_and_running_runs_say_so(self):
        self.write_run(status="failed", error="The grid velocity is not finite.", retries=6)
        text = self.report().text
        self.assertIn("The grid velocity is not finite.", text)
        self.assertIn("6 retries", text)
        self.write_run(status="interrupted")
        self.assertIn("--resume", self.report().text)
        self.write_run(status="running", frames=2)
        self.assertIn("2 of 4", self.report().text)

    def test_a_run_json_of_another_version_or_with_wrong_types_is_still_a_report(self):
        self.write("run.json", json.dumps({"status": 7, "scene": [1, 2], "machine": "x", "frames": "many", "particles": None}))
        self.assertIn("7", self.report().text)
        self.write("run.json", "{}")
        self.report()

    def test_no_run_and_a_damaged_run_json_exit_with_2_and_write_nothing(self):
        self.write("run.json", "{")
        self.assertIn("damaged", self.report(2))
        (self.folder / "run.json").unlink()
        self.assertIn("no run.json", self.report(2))
        self.assertFalse((self.folder / "report.html").exists())


if __name__ == "__main__":
    unittest.main()
