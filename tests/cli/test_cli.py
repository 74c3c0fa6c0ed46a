"""The knead program from outside: test_cli.py KNEAD. Each test is a sentence; a folder of its own is made and removed."""
import filecmp
import json
import resource
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

KNEAD = sys.argv.pop(1)

SCENE = {
    "knead": 1, "name": "two bodies", "duration": 0.5, "fps": 24,
    "solver": {"type": "mpm", "dx": 0.05},
    "materials": {
        "jelly": {"density": 1000, "elasticity": {"type": "neo_hookean", "youngs_modulus": 2e4, "poisson_ratio": 0.3}},
        "sand": {"density": 1600, "elasticity": {"type": "hencky", "youngs_modulus": 1e5, "poisson_ratio": 0.3},
                 "plasticity": {"type": "drucker_prager", "friction_angle": 32}},
        "water": {"density": 1000, "elasticity": {"type": "eos", "bulk_modulus": 2e4}, "viscosity": 0.1},
    },
    "bodies": [
        {"name": "ball", "material": "jelly", "shape": {"type": "sphere", "center": [0.3, 0.8, 0.3], "radius": 0.25}},
        {"name": "heap", "material": "sand", "shape": {"type": "box", "min": [0, 0.05, 0], "max": [0.6, 0.45, 0.6]},
         "sampling": {"method": "poisson", "per_cell": 8}},
    ],
    "emitters": [{"name": "tap", "material": "water", "shape": {"type": "box", "min": [0.8, 0.6, 0.2], "max": [0.95, 0.75, 0.35]},
                  "velocity": [-1, 0, 0]}],
    "colliders": [{"name": "floor", "shape": {"type": "plane", "point": [0, 0, 0], "normal": [0, 1, 0]},
                   "contact": "separate", "friction": 0.4}],
    "probes": [{"name": "energy", "type": "energy"}, {"name": "floor", "type": "force", "collider": "floor", "every": "step"}],
    "output": {"formats": ["ply", "bgeo"], "checkpoint_frames": 2},
}


def lines_without_times(path):
    """A CSV without its wall-clock columns."""
    rows = [line.split(",") for line in path.read_text().splitlines()]
    keep = [i for i, name in enumerate(rows[0]) if not name.endswith("_ms")]
    return [[row[i] for i in keep] for row in rows]


class Cli(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = Path(self.temporary.name)
        self.scene = self.write(SCENE)

    def tearDown(self):
        self.temporary.cleanup()

    def write(self, scene, name="scene.json"):
        path = self.folder / name
        path.write_text(scene if isinstance(scene, str) else json.dumps(scene, indent=1))
        return path

    def knead(self, *arguments, **options):
        return subprocess.run([KNEAD, *map(str, arguments)], capture_output=True, text=True, timeout=300, **options)

    def run_to(self, name, *arguments, scene=None, code=0, **options):
        result = self.knead("run", scene or self.scene, "-o", self.folder / name, *arguments, **options)
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        return result

    def assert_same_run(self, a, b):
        first, second = self.folder / a, self.folder / b
        names = sorted(p.name for p in (first / "frames").iterdir())
        self.assertEqual(names, sorted(p.name for p in (second / "frames").iterdir()))
        self.assertGreater(len(names), 2)
        for name in names:
            self.assertTrue(filecmp.cmp(first / "frames" / name, second / "frames" / name, shallow=False), name)
        for probe in (first / "probes").iterdir():
            self.assertEqual(probe.read_bytes(), (second / "probes" / probe.name).read_bytes(), probe.name)
        self.assertEqual(lines_without_times(first / "stats.csv"), lines_without_times(second / "stats.csv"))

    def status(self, name):
        return json.loads((self.folder / name / "run.json").read_text())["status"]

    def start(self, name, *arguments, until_frame):
        """A run in the background, once its frame `until_frame` exists."""
        process = subprocess.Popen([KNEAD, "run", str(self.scene), "-o", str(self.folder / name), "--quiet", *arguments],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        frame = self.folder / name / "frames" / f"frame_{until_frame:06d}.ply"
        deadline = time.monotonic() + 120
        while not frame.exists() and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.002)
        self.assertTrue(frame.exists())
        return process

    def test_one_and_two_threads_and_a_kill_with_resume_give_the_same_bytes(self):
        self.run_to("one", "--threads", "1")
        self.assertEqual(self.status("one"), "finished")
        self.run_to("two", "--threads", "2")
        self.assert_same_run("one", "two")
        process = self.start("killed", until_frame=5)
        process.send_signal(signal.SIGKILL)
        process.wait()
        self.run_to("killed", "--resume")
        self.assertEqual(self.status("killed"), "finished")
        self.assert_same_run("one", "killed")

    def test_ctrl_c_writes_a_checkpoint_and_resume_goes_on_to_the_same_bytes(self):
        self.run_to("whole")
        process = self.start("stopped", until_frame=3)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=60), 130)
        self.assertEqual(self.status("stopped"), "interrupted")
        self.assertTrue(list((self.folder / "stopped" / "checkpoints").iterdir()))
        self.run_to("stopped", "--resume")
        self.assert_same_run("whole", "stopped")

    def test_a_wrong_scene_exits_with_2_and_writes_nothing(self):
        cases = {
            "": "scene.json",
            "{": "scene.json",
            json.dumps({**SCENE, "bodeis": []}): 'did you mean "bodies"',
            json.dumps({**SCENE, "solver": {"type": "mpm", "dx": "fine"}}): "solver.dx",
            json.dumps({**SCENE, "solver": {"type": "points", "dx": 0.05}}): "not available in this solver",
            json.dumps({**SCENE, "bodies": [{"name": "a", "material": "jely", "shape": SCENE["bodies"][0]["shape"]}]}): 'did you mean "jelly"',
        }
        for text, expected in cases.items():
            path = self.write(text)
            result = self.knead("run", path, "-o", self.folder / "never")
            self.assertEqual(result.returncode, 2, text)
            self.assertIn(expected, result.stderr)
            self.assertFalse((self.folder / "never").exists())

    def test_a_missing_file_an_unknown_command_and_an_unknown_flag_exit_with_2(self):
        self.assertEqual(self.knead("run", self.folder / "none.json", "-o", self.folder / "x").returncode, 2)
        self.assertIn('did you mean "run"', self.knead("rnu").stderr)
        self.assertEqual(self.knead("run", self.scene, "--thread", "2", "-o", self.folder / "x").returncode, 2)
        self.assertFalse((self.folder / "x").exists())

    def test_a_folder_that_is_not_empty_is_not_overwritten_unless_asked(self):
        self.run_to("again", "--frames", "1")
        before = (self.folder / "again" / "run.json").read_bytes()
        self.run_to("again", "--frames", "1", code=2)
        self.assertEqual((self.folder / "again" / "run.json").read_bytes(), before)
        self.run_to("again", "--frames", "1", "--overwrite")

    def test_a_full_disk_exits_with_3_says_so_and_leaves_no_partial_frame(self):
        def small_files():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
        result = self.run_to("full", code=3, preexec_fn=small_files)
        self.assertIn("frame_000000", result.stderr)
        self.assertEqual([p.name for p in (self.folder / "full" / "frames").iterdir()], [])

    def test_a_run_that_diverges_retries_then_exits_with_3_and_says_what_helps(self):
        scene = json.loads(json.dumps(SCENE))
        scene["solver"]["dt"] = 0.04
        scene["materials"]["jelly"]["elasticity"]["youngs_modulus"] = 1e12
        result = self.run_to("boom", scene=self.write(scene, "boom.json"), code=3)
        for word in ("retry 6 of 6", '"ball"', "grid velocity", "step", "--resume"):
            self.assertIn(word, result.stderr)
        self.assertEqual(self.status("boom"), "failed")

    def test_check_json_names_particles_memory_and_the_limit_of_the_time_step(self):
        answer = json.loads(self.knead("check", self.scene, "--json").stdout)
        self.assertGreater(answer["particles"], 1000)
        self.assertGreater(answer["memory_bytes"], answer["particles"] * 100)
        self.assertEqual(answer["limits"][0]["rule"], "wave")
        self.assertAlmostEqual(answer["limits"][0]["dt"], answer["dt"])

    def test_set_overrides_and_schema_and_materials_print(self):
        answer = json.loads(self.knead("check", self.scene, "--json", "--set", "solver.dx=0.1", "--set", "bodies.heap.sampling.per_cell=1").stdout)
        self.assertEqual(answer["dx"], 0.1)
        self.assertIn("$schema", json.loads(self.knead("schema").stdout))
        self.assertIn("youngs_modulus", self.knead("materials").stdout)
        self.assertIn("mpm", self.knead("solvers").stdout)


if __name__ == "__main__":
    unittest.main()
