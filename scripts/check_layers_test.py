#!/usr/bin/env python3
"""check_layers.py against small trees, each with one thing wrong."""
import pathlib
import tempfile
import unittest

import check_layers


def troubles(files):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in files.items():
            path = root / "src" / "kernel_audit" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return list(check_layers.troubles(root))


class CheckLayers(unittest.TestCase):
    def assert_trouble(self, files, words):
        found = troubles(files)
        self.assertEqual(len(found), 1, found)
        self.assertIn(words, found[0])

    def test_a_right_tree_is_silent(self):
        self.assertEqual(troubles({
            "core/a.h": "#include <vector>\nnamespace kernel_audit::core {\n}\n",
            "sim/ops/a.cc": '#include "kernel_audit/ir/a.h"\n#include "kernel_audit/sim/ops/a.h"\nnamespace kernel_audit::sim::ops {\n}\n',
            "pallas.h": '#include "kernel_audit/trace/a.h"\nnamespace kernel_audit::pallas {\n}\n',
            "trace/a.h": "namespace kernel_audit::pallas {\n}\nnamespace kernel_audit::trace {\n}\n",
        }), [])

    def test_the_table_has_no_circle(self):
        self.assertEqual(list(check_layers.table_troubles()), [])

    def test_a_wrong_arrow(self):
        self.assert_trouble({"core/a.cc": '#include "kernel_audit/ir/type.h"\n'}, "core/a.cc:1: core must not include ir")

    def test_the_simulator_sees_neither_way_in(self):
        for layer in ("trace", "import"):
            self.assert_trouble({"sim/a.cc": f'\n#include "kernel_audit/{layer}/a.h"\n'}, f"sim/a.cc:2: sim must not include {layer}")

    def test_the_public_header_belongs_to_trace(self):
        self.assert_trouble({"sim/a_test.cc": "#include <kernel_audit/pallas.h>\n"}, "sim must not include trace")

    def test_nobody_includes_the_command_line(self):
        self.assert_trouble({"check/a.cc": '#  include "kernel_audit/cli/a.h"\n'}, "check must not include cli")

    def test_a_short_include_path(self):
        header = {"core/b.h": "namespace kernel_audit::core {\n"}
        self.assert_trouble(header | {"core/a.cc": '#include "b.h"\n'}, "not a full path")
        self.assertEqual(troubles(header | {"core/a.cc": '#include "pjrt_c_api.h"\n'}), [])

    def test_a_file_outside_the_layers(self):
        self.assert_trouble({"util/a.cc": ""}, "belongs to no layer")
        self.assert_trouble({"a.h": ""}, "belongs to no layer")
        self.assert_trouble({"core/a.cc": "#include <kernel_audit/util/a.h>\n"}, "util/a.h belongs to no layer")

    def test_a_namespace_that_differs_from_the_folder(self):
        self.assert_trouble({"sim/a.h": "namespace kernel_audit::ir {\n"}, "asks for kernel_audit::sim")
        self.assert_trouble({"sim/a.h": "namespace kernel_audit::simulated {\n"}, "asks for kernel_audit::sim")
        self.assert_trouble({"sim/a.h": "namespace kernel_audit {\n"}, "asks for kernel_audit::sim")
        self.assert_trouble({"sim/a.h": "namespace kernel_audit::pallas {\n"}, "asks for kernel_audit::sim")


if __name__ == "__main__":
    unittest.main()
