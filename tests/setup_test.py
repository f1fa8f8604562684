#!/usr/bin/env python3
"""scripts/setup with stand-ins for the package managers: what it installs, what it downloads, what it refuses, what it leaves alone."""
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
WHEELS = {
    "lammps_jax_pjrt_cpu-1-py3-none-any.whl": [
        "lammps_jax_pjrt_cpu/pjrt_c_api_cpu_plugin.so", "l-1.dist-info/licenses/LICENSE", "l-1.dist-info/licenses/THIRD_PARTY_NOTICES", "other"],
    "xla_cpu_pjrt-1-py3-none-any.whl": ["xla_plugins/xla_cpu_pjrt/include/pjrt_c_api.h"],
    "jaxlib-1-py3-none-any.whl": [f"jaxlib/include/xla/ffi/api/{name}.h" for name in ("api", "c_api", "ffi")] + ["j-1.dist-info/licenses/LICENSE.txt"],
}
UNPACKED = {
    "stamp", "xla_cpu/pjrt_c_api_cpu_plugin.so", "xla_cpu/LICENSE", "xla_cpu/THIRD_PARTY_NOTICES", "include/pjrt_c_api.h", "include/xla/LICENSE.txt",
    "include/xla/ffi/api/api.h", "include/xla/ffi/api/c_api.h", "include/xla/ffi/api/ffi.h"}
# Each stand-in notes its call in $FAKE/calls. What counts as installed stands in $FAKE/installed, what apt does not know in $FAKE/unknown.
STAND_INS = {
    "dpkg-query": 'sed "s/^/installed /" "$FAKE/installed"\n',
    "apt-get": 'echo "apt-get $*" >> "$FAKE/calls"\nexit "$(cat "$FAKE/apt_status" 2>/dev/null || echo 0)"\n',
    "apt-cache": '! grep -qx "${@: -1}" "$FAKE/unknown" 2>/dev/null\n',
    "uname": 'if [ "$1" = -m ]; then cat "$FAKE/machine"; else echo Linux; fi\n',
    "sudo": "exit 1\n",
    "python3": 'if [ "$1" = -m ]; then\n  [ "$3" = --version ] && exit 0\n  echo "pip $3" >> "$FAKE/calls"\n'
               '  while [ "$1" != -d ]; do shift; done\n  mkdir -p "$2" && cp "$FAKE"/wheels/* "$2"\nelse\n  exec ' + sys.executable + ' "$@"\nfi\n',
}


class Setup(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.fake = pathlib.Path(folder.name) / "fake"
        self.root = pathlib.Path(folder.name) / "a b"
        (self.fake / "bin").mkdir(parents=True)
        (self.root / "scripts").mkdir(parents=True)
        for name, body in STAND_INS.items():
            (self.fake / "bin" / name).write_text("#!/bin/bash\n" + body)
            (self.fake / "bin" / name).chmod(0o755)
        for name in ("setup", "unpack_wheels.py"):
            shutil.copy(ROOT / "scripts" / name, self.root / "scripts" / name)
        self.deps = self.root / ".deps"
        (self.fake / "machine").write_text("x86_64\n")
        self.install("g++ cmake ninja-build python3 python3-pip libfmt-dev libcli11-dev nlohmann-json3-dev libexpected-dev libhwy-dev libdnnl-dev "
                     "libseccomp-dev libssl-dev libgtest-dev libgmock-dev libbenchmark-dev")
        self.make_wheels()

    def install(self, packages):
        (self.fake / "installed").write_text("".join(f"{name}\n" for name in packages.split()))

    def make_wheels(self, text="text"):
        (self.fake / "wheels").mkdir(exist_ok=True)
        lines = []
        for wheel, names in WHEELS.items():
            with zipfile.ZipFile(self.fake / "wheels" / wheel, "w") as archive:
                for name in names:
                    archive.writestr(zipfile.ZipInfo(name), f"{text} {name}")
            digest = hashlib.sha256((self.fake / "wheels" / wheel).read_bytes()).hexdigest()
            lines.append(f"{wheel.split('-')[0]}==1 --hash=sha256:{digest}\n")
        (self.root / "requirements-pypi.txt").write_text("".join(lines))

    def run_it(self, *arguments, prefix=()):
        environment = os.environ | {"FAKE": str(self.fake), "PATH": f"{self.fake / 'bin'}:{os.environ['PATH']}"}
        return subprocess.run([*prefix, self.root / "scripts" / "setup", *arguments], capture_output=True, text=True, env=environment, timeout=60,
                              stdin=subprocess.DEVNULL)

    def calls(self):
        path = self.fake / "calls"
        return path.read_text().splitlines() if path.exists() else []

    def assert_refuses(self, words, result):
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertIn(words, result.stderr.splitlines()[-1])

    def test_unpacks_once(self):
        self.assertEqual(self.run_it().returncode, 0)
        files = {path.relative_to(self.deps).as_posix() for path in self.deps.rglob("*") if path.is_file()}
        self.assertEqual(files, UNPACKED)
        second = self.run_it()
        self.assertEqual((second.returncode, second.stdout, second.stderr), (0, "", ""))
        self.assertEqual(self.calls(), ["pip download"])

    def test_new_requirements_replace_what_changed_and_only_that(self):
        self.run_it()
        before = (self.deps / "include").stat().st_ino
        with open(self.root / "requirements-pypi.txt", "a") as requirements:
            requirements.write("# changed\n")
        self.run_it()
        self.assertEqual((self.deps / "include").stat().st_ino, before)
        self.make_wheels("new")
        self.run_it()
        self.assertEqual((self.deps / "include" / "pjrt_c_api.h").read_text(), "new xla_plugins/xla_cpu_pjrt/include/pjrt_c_api.h")
        self.assertEqual(len(self.calls()), 3)

    def test_refuses_a_wheel_with_another_hash(self):
        with open(self.fake / "wheels" / next(iter(WHEELS)), "ab") as wheel:
            wheel.write(b"x")
        self.assert_refuses("unpacking failed", self.run_it())
        self.assertIn("which no line of the requirements names", (self.root / "build" / "setup.log").read_text())
        self.assertEqual(list(self.deps.iterdir()), [])

    def test_a_failed_download_leaves_nothing(self):
        (self.fake / "bin" / "python3").write_text('#!/bin/bash\n[ "$3" = --version ]\n')
        self.assert_refuses("pip download failed", self.run_it())
        self.assertEqual(list(self.deps.iterdir()), [])

    @unittest.skipUnless(os.geteuid() == 0, "installing is tried as root only")
    def test_installs_what_is_missing(self):
        self.install("g++ cmake")
        self.assertEqual(self.run_it("--tests").returncode, 0)
        update, install, _ = self.calls()
        self.assertEqual(update, "apt-get update")
        self.assertTrue(install.startswith("apt-get install -y --no-install-recommends chromium chromium-driver clang lib"), install)
        self.assertNotIn("g++", install)

    @unittest.skipUnless(os.geteuid() == 0, "installing is tried as root only")
    def test_says_where_a_missing_package_comes_from(self):
        self.install("g++")
        (self.fake / "unknown").write_text("libhwy-dev\n")
        self.assert_refuses("no package libhwy-dev in apt's sources", self.run_it())
        (self.fake / "unknown").unlink()
        (self.fake / "apt_status").write_text("100")
        self.assert_refuses("apt-get update failed", self.run_it())

    @unittest.skipUnless(os.geteuid() == 0, "needs to become another user")
    def test_without_rights_it_names_the_packages(self):
        self.install("g++")
        for path in (self.root.parent, self.root):
            path.chmod(0o777)
        result = self.run_it(prefix=("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"))
        self.assert_refuses("as root, run: apt-get install --no-install-recommends cmake libbenchmark-dev", result)
        self.assertEqual(self.calls(), [])

    def test_refuses_other_machines_and_arguments(self):
        (self.fake / "machine").write_text("aarch64\n")
        self.assert_refuses("x86-64 Linux only", self.run_it())
        self.assert_refuses("unknown argument '--wrong'", self.run_it("--wrong"))


if __name__ == "__main__":
    unittest.main()
