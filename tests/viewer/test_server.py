"""The viewer's server from outside: test_server.py KNEAD. Each test is a sentence."""
import http.client
import json
import math
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path
from urllib.parse import urlsplit

KNEAD = sys.argv.pop(1)

SCENE = {
    "knead": 1, "name": "two blocks", "duration": 0.1, "fps": 50,
    "solver": {"type": "mpm", "dx": 0.05},
    "materials": {"jelly": {"density": 1000, "elasticity": {"type": "neo_hookean", "youngs_modulus": 2e4, "poisson_ratio": 0.3}}},
    "bodies": [
        {"name": "left", "material": "jelly", "shape": {"type": "box", "min": [0, 0.1, 0], "max": [0.2, 0.3, 0.2]}},
        {"name": "../right", "material": "jelly", "shape": {"type": "box", "min": [0.5, 0.1, 0], "max": [0.7, 0.3, 0.2]}, "velocity": [-1, 0, 0]},
    ],
    "colliders": [
        {"name": "floor", "shape": {"type": "plane", "point": [0, 0, 0], "normal": [0, 1, 0]}},
        {"name": "ball", "shape": {"type": "sphere", "center": [0.35, 0.05, 0.1], "radius": 0.05}, "motion": {"velocity": [0, 1, 0]}},
    ],
    "probes": [{"name": "energy", "type": "energy"}],
    "output": {"attributes": ["stress"]},
}


def read_ply(path):
    """Rows of a frame as dictionaries, by an independent reader."""
    data = path.read_bytes()
    head, body = data.split(b"end_header\n", 1)
    properties = [line.split()[1:] for line in head.decode().splitlines() if line.startswith("property")]
    row = struct.Struct("<" + "".join("i" if kind == "int" else "f" for kind, _ in properties))
    return [dict(zip((name for _, name in properties), values)) for values in row.iter_unpack(body)]


def unpack(data):
    """A packed frame: header fields, positions, values, bodies."""
    magic, count, index, flags = struct.unpack_from("<4sIiI", data)
    time, *numbers = struct.unpack_from("<13d", data, 16)
    origin, extent, (low, high) = numbers[0:3], numbers[3:6], numbers[6:8]
    rows = list(struct.iter_unpack("<4f" if flags & 1 else "<4H", data[128:128 + count * (16 if flags & 1 else 8)]))
    scale = 1 if flags & 1 else 65535
    bodies = list(data[128 + count * (16 if flags & 1 else 8):]) if not flags & 2 else None
    positions = [[o + e * x / scale for o, e, x in zip(origin, extent, row)] for row in rows]
    values = [low + (high - low) * row[3] / scale * 65535 / 65534 for row in rows]
    # Sixteen samples, one after the other: back to the order of the file.
    beginnings = (0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15)
    order = [particle for beginning in beginnings for particle in range(beginning, count, 16)]
    positions, values, bodies = ([value for _, value in sorted(zip(order, column))] for column in (positions, values, bodies or [0] * count))
    return {"magic": magic, "count": count, "index": index, "flags": flags, "time": time, "extent": extent, "range": (low, high),
            "positions": positions, "values": values, "bodies": bodies, "hidden": struct.unpack_from("<I", data, 120)[0]}


class Server(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.temporary.name)
        (cls.folder / "scene.json").write_text(json.dumps(SCENE))
        cls.run_folder = cls.folder / "run"
        subprocess.run([KNEAD, "run", cls.folder / "scene.json", "-o", cls.run_folder, "--quiet", "--format", "ply,vtkhdf"], check=True)
        cls.frames = cls.run_folder / "frames"
        (cls.folder / "secret.txt").write_text("secret")
        cls.process = subprocess.Popen([KNEAD, "view", cls.run_folder], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        address = urlsplit(cls.process.stdout.readline().strip())
        cls.port, cls.token = address.port, address.path.strip("/")

    @classmethod
    def tearDownClass(cls):
        cls.process.send_signal(signal.SIGINT)
        cls.process.communicate(timeout=10)
        cls.temporary.cleanup()

    def get(self, path, host=None, method="GET", headers=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        connection.putrequest(method, path, skip_host=True)
        connection.putheader("Host", host or f"127.0.0.1:{self.port}")
        for name, value in (headers or {}).items():
            connection.putheader(name, value)
        connection.endheaders()
        response = connection.getresponse()
        body = response.read()
        connection.close()
        return response, body

    def inside(self, path, **options):
        return self.get(f"/{self.token}/{path}", **options)

    def json(self, path):
        response, body = self.inside(path)
        self.assertEqual(response.status, 200, body)
        return json.loads(body)

    def test_page_is_whole_and_asks_no_other_host(self):
        response, body = self.inside("")
        self.assertEqual(response.status, 200)
        self.assertIn(b"<title>knead</title>", body)
        policy = response.getheader("Content-Security-Policy")
        self.assertIn("default-src 'none'", policy)
        self.assertNotIn("http", policy)
        for name in ("app.js", "worker.js", "app.css"):
            self.assertEqual(self.inside(name)[0].status, 200, name)

    def test_without_the_token_there_is_nothing(self):
        self.assertEqual(len(self.token), 32)
        for path in ("/", "/api/runs", "/index.html", f"/{self.token[:-1]}/", f"/{self.token}", f"/{'0' * 32}/api/runs", f"//{self.token}/"):
            self.assertEqual(self.get(path)[0].status, 404, path)

    def test_another_host_name_gets_nothing(self):
        self.assertEqual(self.inside("api/runs", host=f"localhost:{self.port}")[0].status, 200)
        for host in ("example.org", f"example.org:{self.port}", "127.0.0.1", "127.0.0.1:1", f"127.0.0.1.example.org:{self.port}"):
            self.assertEqual(self.inside("api/runs", host=host)[0].status, 404, host)

    def test_other_methods_get_nothing(self):
        for method in ("POST", "PUT", "DELETE", "OPTIONS"):
            self.assertEqual(self.inside("api/runs", method=method, headers={"Content-Length": "0"})[0].status, 404, method)

    def test_tricks_with_paths_get_404(self):
        tricks = ["../", "../../etc/passwd", "..%2f..%2fetc%2fpasswd", "%2e%2e/%2e%2e/etc/passwd", "%252e%252e/secret.txt", "/etc/passwd",
                  "api/runs/0/../../../secret.txt", "api/runs/0/frames/../../run.json", "api/runs/0/frames/0.ply", "api/runs/0/frames/-1",
                  "api/runs/0/frames/+1", "api/runs/0/frames/00", "api/runs/0/frames/1e0", "api/runs/0/frames/99999999999999999999",
                  "api/runs/0/frames/0%00", "api/runs/0/frames/0/", "api/runs/0/frames/%2e%2e%2frun.json", "api/runs/1/scene",
                  "api/runs/-1/scene", "api/runs/0/", "api/runs/0", "api/", "api", "run.json", "frames/frame_000000.ply", "api/runs/0/surfaces/0/0",
                  "api/runs/0/surfaces/..%2f/0", "app.js/", "app.js%00", "APP.JS", "x" * 7000, "x" * 20000, "%", "%zz", "..\\..\\secret.txt"]
        for trick in tricks:
            response, body = self.inside(trick)
            self.assertEqual(response.status, 404, trick)
            self.assertNotIn(b"secret", body)
            self.assertNotIn(b"root:", body)

    def test_requests_that_are_no_http_do_no_harm(self):
        for junk in (b"\x00\xff\r\n\r\n", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"A" * 100000):
            with socket.create_connection(("127.0.0.1", self.port), timeout=5) as connection:
                try:
                    connection.sendall(junk)
                    connection.shutdown(socket.SHUT_WR)
                    while connection.recv(65536):
                        pass
                except OSError:
                    pass  # the server may hang up first
        self.assertEqual(self.inside("api/runs")[0].status, 200)

    def test_summary_tells_status_and_frames(self):
        run = self.json("api/runs")["runs"][0]
        self.assertEqual((run["status"], run["frames"], run["name"], run["warnings"]), ("finished", [[0, 5]], "two blocks", []))

    def test_frame_is_that_of_the_file_within_the_quantisation(self):
        rows = read_ply(self.frames / "frame_000003.ply")
        response, data = self.inside("api/runs/0/frames/3?color=velocity")
        self.assertEqual(response.status, 200)
        frame = unpack(data)
        self.assertEqual((frame["magic"], frame["count"], frame["index"], frame["flags"], frame["hidden"]), (b"KVF2", len(rows), 3, 0, 0))
        self.assertAlmostEqual(frame["time"], 3 / 50)
        self.assertEqual(len(data), 128 + 9 * len(rows))
        # Half a step of 16 bits, and the rounding of single precision.
        tolerance = [0.5 * extent / 65535 + 1e-6 for extent in frame["extent"]]
        speed_tolerance = (frame["range"][1] - frame["range"][0]) / 65534 + 1e-6
        for row, position, value, body in zip(rows, frame["positions"], frame["values"], frame["bodies"]):
            for axis, name in enumerate("xyz"):
                self.assertLessEqual(abs(row[name] - position[axis]), tolerance[axis])
            self.assertLessEqual(abs(math.hypot(row["vx"], row["vy"], row["vz"]) - value), speed_tolerance)
            self.assertEqual(row["body"], body)

    def test_the_first_frame_needs_no_number(self):
        self.assertEqual(self.inside("api/runs/0/frames/first")[1], self.inside("api/runs/0/frames/0")[1])

    def test_of_a_large_first_frame_an_even_sample_comes_first(self):
        frame = self.frames / "frame_000000.ply"
        small = frame.read_bytes()
        head, body = small.split(b"end_header\n", 1)
        count = int(head.split(b"element vertex ")[1].split()[0])
        times = 200_000 // count + 1
        frame.write_bytes(head.replace(b"element vertex %d" % count, b"element vertex %d" % (count * times)) + b"end_header\n" + body * times)
        try:
            self.eventually(lambda: struct.unpack_from("<I", self.inside("api/runs/0/frames/0")[1], 4)[0] == count * times)
            whole, sample = (self.inside(f"api/runs/0/frames/{name}")[1] for name in ("0", "first"))
            part = (count * times + 15) // 16
            self.assertEqual([struct.unpack_from("<I", data, 124)[0] for data in (whole, sample)], [1, 16])
            self.assertEqual(struct.unpack_from("<I", sample, 4)[0], part)
            self.assertEqual(sample[8:124], whole[8:124])
            self.assertEqual(sample[128:128 + 8 * part], whole[128:128 + 8 * part])
            bodies = 128 + 8 * count * times
            self.assertEqual(sample[128 + 8 * part:], whole[bodies:bodies + part])
        finally:
            frame.write_bytes(small)

    def test_components_of_tensors_can_be_shown(self):
        self.assertIn("stress.xy", self.json("api/runs/0/scene")["attributes"])
        rows = read_ply(self.frames / "frame_000002.ply")
        frame = unpack(self.inside("api/runs/0/frames/2?color=stress.xy")[1])
        tolerance = (frame["range"][1] - frame["range"][0]) / 65534 + 1e-3
        for row, value in zip(rows, frame["values"]):
            self.assertLessEqual(abs(row["stress_xy"] - value), tolerance)

    def test_particles_far_out_are_sent_as_floats_and_those_without_a_place_are_hidden(self):
        data = bytearray((self.frames / "frame_000001.ply").read_bytes())
        start = data.index(b"end_header\n") + len(b"end_header\n")
        row_bytes = 4 * data[:start].count(b"\nproperty")
        struct.pack_into("<f", data, start, 5e4)
        struct.pack_into("<f", data, start + row_bytes, math.nan)
        (self.frames / "frame_000006.ply").write_bytes(data)
        try:
            rows = read_ply(self.frames / "frame_000006.ply")
            self.eventually(lambda: self.inside("api/runs/0/frames/6")[0].status == 200)
            frame = unpack(self.inside("api/runs/0/frames/6")[1])
            self.assertEqual((frame["flags"], frame["hidden"]), (1, 1))
            self.assertEqual(frame["positions"][0][0], 5e4)
            self.assertEqual(frame["bodies"][1], 255)
            self.assertEqual(frame["positions"][7], [rows[7][name] for name in "xyz"])
        finally:
            (self.frames / "frame_000006.ply").unlink()
            self.eventually(lambda: self.inside("api/runs/0/frames/6")[0].status == 404)

    def eventually(self, check):
        """What `check` returns once it is true: the server looks at the folder anew a few times a second."""
        for _ in range(200):
            result = check()
            if result:
                return result
            time.sleep(0.05)
        return self.fail("the folder's change did not appear")

    def test_unchanged_frame_is_not_sent_again(self):
        tag = self.inside("api/runs/0/frames/2")[0].getheader("ETag")
        response, body = self.inside("api/runs/0/frames/2", headers={"If-None-Match": tag})
        self.assertEqual((response.status, body), (304, b""))
        self.assertEqual(self.inside("api/runs/0/frames/2?color=J", headers={"If-None-Match": tag})[0].status, 200)

    def test_broken_frame_and_unknown_attribute_are_said_with_the_file(self):
        path = self.frames / "frame_000004.ply"
        whole = path.read_bytes()
        path.write_bytes(whole[:-100])
        try:
            response, body = self.inside("api/runs/0/frames/4")
            self.assertEqual(response.status, 422)
            self.assertIn("frame_000004.ply", json.loads(body)["error"])
        finally:
            path.write_bytes(whole)
        response, body = self.inside("api/runs/0/frames/4?color=../../etc")
        self.assertEqual(response.status, 422)
        self.assertIn("no attribute", json.loads(body)["error"])

    def test_surface_is_that_of_the_file(self):
        folder = self.run_folder / "surface" / "left"
        folder.mkdir(parents=True)
        (folder / "frame_000002.ply").write_text(
            "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n"
            "element face 4\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 2 0\n0 0 4\n"
            "3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n")
        self.eventually(lambda: self.json("api/runs")["runs"][0]["surfaces"][0])
        response, data = self.inside("api/runs/0/surfaces/0/2")
        self.assertEqual(response.status, 200)
        vertices, triangles = struct.unpack_from("<II", data, 4)
        self.assertEqual((data[:4], vertices, triangles), (b"KVS1", 4, 4))
        origin, extent = struct.unpack_from("<3d", data, 16), struct.unpack_from("<3d", data, 40)
        self.assertEqual((origin, extent), ((0, 0, 0), (1, 2, 4)))
        places = {tuple(e * x / 65535 for e, x in zip(extent, struct.unpack_from("<3H", data, 64 + 12 * i))) for i in range(4)}
        self.assertEqual(places, {(0, 0, 0), (1, 0, 0), (0, 2, 0), (0, 0, 4)})

    def test_plots_hold_the_rows_of_the_files(self):
        tables = {table["name"]: table for table in self.json("api/runs/0/plots")["tables"]}
        lines = (self.run_folder / "probes" / "energy.csv").read_text().splitlines()
        kinetic = next(column for column in tables["probe energy"]["columns"] if column["name"] == "kinetic")
        self.assertEqual(kinetic["values"], [float(line.split(",")[1]) for line in lines[1:]])
        self.assertEqual(len(tables["probe energy"]["time"]), len(lines) - 1)
        self.assertEqual(sum(tables["stats"]["limit_rule"].values()), tables["stats"]["rows"])

    def test_long_tables_are_short_and_keep_their_peaks(self):
        path = self.run_folder / "probes" / "long.csv"
        path.write_text("time,a,b\n" + "".join(f"{i},{1000 if i == 4321 else i % 7},x\n" for i in range(20000)) + "20000,1")
        try:
            table = next(t for t in self.json("api/runs/0/plots")["tables"] if t["name"] == "probe long")
            column, = table["columns"]
            self.assertEqual(table["rows"], 20000)
            self.assertLess(len(column["values"]), 1000)
            self.assertEqual((max(column["high"]), min(column["low"])), (1000, 0))
            self.assertAlmostEqual(sum(column["values"]) / len(column["values"]), (1000 + sum(i % 7 for i in range(20000)) - 4321 % 7) / 20000, 6)
        finally:
            path.unlink()

    def test_colliders_are_planes_and_meshes_that_move(self):
        floor, ball = self.json("api/runs/0/colliders")["colliders"]
        self.assertEqual(floor["plane"]["normal"], [0, 1, 0])
        points = zip(*[iter(ball["mesh"]["vertices"])] * 3)
        for point in points:
            self.assertAlmostEqual(math.dist(point, (0.35, 0.05, 0.1)), 0.05, 3)
        self.assertAlmostEqual(ball["poses"][5][7], 5 / 50)  # y moves at 1 m/s

    def test_rigid_bodies_are_meshes_with_a_pose_for_each_frame(self):
        scene = {"knead": 1, "duration": 0.1, "fps": 50, "solver": {"type": "sph", "dx": 0.1},
                 "materials": {"water": {"density": 1000, "elasticity": {"type": "eos", "bulk_modulus": 1e6}}},
                 "bodies": [{"name": "drop", "material": "water", "shape": {"type": "box", "min": [3, 0, 0], "max": [3.3, 0.3, 0.3]}}],
                 "rigid_bodies": [{"name": "ball", "density": 500, "velocity": [2, 0, 0], "angular_velocity": [0, 10, 0], "color": [0, 0, 1],
                                   "shape": {"type": "sphere", "center": [0.1, 0.8, 0.1], "radius": 0.15}}]}
        (self.folder / "rigid.json").write_text(json.dumps(scene))
        other = self.folder / "rigid"
        subprocess.run([KNEAD, "run", self.folder / "rigid.json", "-o", other, "--quiet"], check=True)
        process = subprocess.Popen([KNEAD, "view", other], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            address = urlsplit(process.stdout.readline().strip())
            connection = http.client.HTTPConnection("127.0.0.1", address.port, timeout=20)
            connection.request("GET", address.path + "api/runs/0/colliders")
            (ball,) = json.loads(connection.getresponse().read())["colliders"]
            connection.close()
        finally:
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=10)
        self.assertEqual(ball["color"], [0, 0, 1])
        self.assertEqual(len(ball["poses"]), 6)
        self.assertEqual([round(x, 6) for x in ball["poses"][0]], [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0])
        last = ball["poses"][5]
        center = [sum(last[4 * row + k] * x for k, x in enumerate((0.1, 0.8, 0.1, 1))) for row in range(3)]
        self.assertAlmostEqual(center[0], 0.1 + 2 * 0.1, 5)
        self.assertAlmostEqual(last[0], math.cos(10 * 0.1), 3)  # turned about y, in steps of second order

    def test_vtkhdf_frames_are_packed_alike(self):
        other = self.folder / "hdf"
        other.mkdir()
        for name in ("run.json", "frames.vtkhdf"):
            (other / name).write_bytes((self.run_folder / name).read_bytes())
        process = subprocess.Popen([KNEAD, "view", other], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            address = urlsplit(process.stdout.readline().strip())
            connection = http.client.HTTPConnection("127.0.0.1", address.port, timeout=20)
            connection.request("GET", address.path + "api/runs/0/frames/3?color=stress.xy")
            self.assertEqual(connection.getresponse().read(), self.inside("api/runs/0/frames/3?color=stress.xy")[1])
            connection.close()
        finally:
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=10)
        self.assertEqual(process.returncode, 0)


class Command(unittest.TestCase):
    def view(self, *arguments):
        return subprocess.run([KNEAD, "view", *map(str, arguments)], capture_output=True, text=True, timeout=20)

    def test_what_is_no_run_folder_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "letter.txt").write_text("")
            for path in (folder, folder + "/letter.txt", folder + "/nothing"):
                result = self.view(path)
                self.assertEqual(result.returncode, 2)
                self.assertIn(path, result.stderr)

    def test_a_port_that_is_taken_is_refused(self):
        with tempfile.TemporaryDirectory() as folder, socket.socket() as other:
            other.bind(("127.0.0.1", 0))
            other.listen()
            result = self.view(folder, "--port", other.getsockname()[1])
            self.assertEqual(result.returncode, 2)
            self.assertIn("--port", result.stderr)


if __name__ == "__main__":
    unittest.main()
