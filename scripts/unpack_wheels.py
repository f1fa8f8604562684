#!/usr/bin/env python3
"""Unpacks the few files this project needs from the wheels that pip downloaded.

unpack_wheels.py REQUIREMENTS WHEELS TREE: every wheel's SHA-256 is held against REQUIREMENTS again, then TREE gets include/ and xla_cpu/.
"""
import hashlib
import pathlib
import re
import shutil
import sys
import zipfile

# Wheel's name -> (pattern of a path in the wheel, folder in the tree).
WANTED = {
    "lammps_jax_pjrt_cpu": [
        (r"lammps_jax_pjrt_cpu/(pjrt_c_api_cpu_plugin\.so)", "xla_cpu"),
        (r"[^/]+\.dist-info/licenses/(LICENSE|THIRD_PARTY_NOTICES)", "xla_cpu"),
    ],
    "xla_cpu_pjrt": [(r"xla_plugins/xla_cpu_pjrt/include/(pjrt_c_api\.h)", "include")],
    "jaxlib": [
        (r"jaxlib/include/(xla/ffi/api/(?:api|c_api|ffi)\.h)", "include"),
        (r"[^/]+\.dist-info/licenses/(LICENSE\.txt)", "include/xla"),
    ],
}


def check_hash(wheel, allowed):
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    if digest not in allowed:
        sys.exit(f"{wheel.name} has SHA-256 {digest}, which no line of the requirements names")


def unpack(wheel, rules, tree):
    """Fails unless every pattern finds all the files it names."""
    with zipfile.ZipFile(wheel) as archive:
        for pattern, folder in rules:
            matches = [m for m in (re.fullmatch(pattern, name) for name in archive.namelist()) if m]
            if not matches:
                sys.exit(f"{wheel.name} holds no {pattern}")
            for match in matches:
                target = tree / folder / match.group(1)
                target.parent.mkdir(parents=True, exist_ok=True)
                with archive.open(match.group(0)) as source, open(target, "wb") as sink:
                    shutil.copyfileobj(source, sink, 1 << 20)


def main(requirements, wheels, tree):
    allowed = set(re.findall(r"sha256:([0-9a-f]{64})", pathlib.Path(requirements).read_text()))
    for name, rules in WANTED.items():
        found = list(pathlib.Path(wheels).glob(f"{name}-*.whl"))
        if len(found) != 1:
            sys.exit(f"expected one wheel of {name}, found {len(found)}")
        check_hash(found[0], allowed)
        unpack(found[0], rules, pathlib.Path(tree))


if __name__ == "__main__":
    main(*sys.argv[1:])
