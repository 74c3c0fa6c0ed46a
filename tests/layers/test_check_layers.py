#!/usr/bin/env python3
"""The layers check finds each kind of forbidden include, and nothing else."""
import pathlib
import tempfile
import unittest

import check_layers

LAYERS = """
base:
solvers: base
solvers/*: base solvers
scene: base solvers solvers/*
heavy: tbb/
private: base/inner.h
"""


class CheckLayers(unittest.TestCase):
    def messages(self, files):
        with tempfile.TemporaryDirectory() as folder:
            engine = pathlib.Path(folder)
            (engine / "layers.txt").write_text(LAYERS)
            for name, text in {"base/a.h": "", "solvers/s.h": "", "solvers/mpm/m.h": "", "solvers/sph/s.h": "", **files}.items():
                (engine / name).parent.mkdir(parents=True, exist_ok=True)
                (engine / name).write_text(text)
            return check_layers.check(engine)[0]

    def test_allowed_includes_pass(self):
        self.assertEqual([], self.messages({
            "base/b.cpp": '#include "base/a.h"\n#include <tbb/tbb.h>\n',
            "base/b.h": "#include <vector>\n#include <tbb/all_fwd.hpp>\n",
            "solvers/mpm/m.cpp": '#include "solvers/mpm/m.h"\n#include "solvers/s.h"\n#include "base/a.h"\n',
            "scene/s.cpp": '#include "solvers/mpm/m.h"\n',
            "base/inner.h": "#include <tbb/tbb.h>\n",
            "base/c.cpp": '#include "base/inner.h"\n',
        }))

    def assert_one(self, name, include, word):
        messages = self.messages({name: "\n" + include + "\n"})
        self.assertEqual(1, len(messages), messages)
        self.assertIn(word, messages[0])

    def test_a_room_above_is_forbidden(self):
        self.assert_one("base/b.cpp", '#include "solvers/s.h"', 'engine/base/b.cpp:2: base may not use "solvers/s.h"')

    def test_a_sibling_solver_is_forbidden(self):
        self.assert_one("solvers/mpm/m.cpp", '# include "solvers/sph/s.h"', "solvers/mpm may not use")

    def test_the_solver_interface_knows_no_solver(self):
        self.assert_one("solvers/list.cpp", '#include "solvers/sph/s.h"', "solvers may not use")

    def test_heavy_headers_stay_out_of_headers(self):
        self.assert_one("base/b.h", "#include <tbb/parallel_for.h>", "belongs in a .cpp file")

    def test_private_headers_stay_in_the_sources_of_their_room(self):
        inner = {"base/inner.h": "#include <tbb/tbb.h>\n"}
        for name in ("base/b.h", "scene/s.cpp"):
            messages = self.messages({**inner, name: '#include "base/inner.h"\n'})
            self.assertEqual(1, len(messages), messages)
            self.assertIn("is private", messages[0])

    def test_includes_are_relative_to_the_engine(self):
        self.assert_one("base/b.cpp", '#include "a.h"', "no file relative to engine/")
        self.assert_one("base/b.cpp", '#include "../base/a.h"', "no file relative to engine/")

    def test_every_folder_is_a_room(self):
        self.assert_one("utils/u.h", "", "no room")


if __name__ == "__main__":
    unittest.main()
