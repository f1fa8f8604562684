#!/usr/bin/env python3
"""Holds the sources against the project's layers.

check_layers.py [ROOT]: prints one line for each #include that points the wrong way, each include path that is not a full one, each file
outside a layer and each namespace that differs from its folder; exit status 1 when there is any.
"""
import pathlib
import re
import sys

# A layer may include itself and what stands here. The order is from the bottom up; a layer names only layers above its own line.
ALLOWED = {
    "core": [],
    "ir": ["core"],
    "pjrt": ["core"],
    "sandbox": ["core"],
    "evidence": ["core"],
    "report": ["core", "evidence"],
    "trace": ["core", "ir"],
    "import": ["core", "ir"],
    "sim": ["core", "ir"],
    "simulated": ["core", "ir", "import", "sim", "pjrt", "evidence"],
    "worker": ["core", "trace", "sandbox"],
    "target": ["core", "ir", "import", "sim", "pjrt", "sandbox", "evidence", "worker"],
    "check": ["core", "ir", "trace", "sim", "pjrt", "sandbox", "evidence", "report", "simulated", "worker", "target"],
    "cli": ["core", "ir", "import", "sim", "pjrt", "sandbox", "evidence", "report", "simulated", "worker", "check", "target"],
}
# The front end's public header is the one file outside a layer's folder, and its vocabulary a namespace of its own.
PUBLIC = {"pallas.h": "trace"}
# evidence declares, and only declares, the classes that may hand out its witnesses.
EXTRA_NAMESPACES = {"trace": ["pallas"], "evidence": ["simulated", "target"]}

INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]')
NAMESPACE = re.compile(r"^\s*(?:inline\s+)?namespace\s+(kernel_audit\b[\w:]*)\s*\{")


def layer_of(path):
    """The layer of a path relative to src/kernel_audit, or None."""
    if path in PUBLIC:
        return PUBLIC[path]
    first, slash, _ = path.partition("/")
    return first if slash and first in ALLOWED else None


def include_trouble(layer, path, target):
    if not target.startswith("kernel_audit/"):
        ours = (path.parent / target).is_file()
        return f'"{target}" is not a full path; write "kernel_audit/LAYER/..."' if ours else None
    other = layer_of(target.removeprefix("kernel_audit/"))
    if other is None:
        return f"{target} belongs to no layer"
    if other != layer and other not in ALLOWED[layer]:
        return f"{layer} must not include {other} ({target})"
    return None


def namespace_trouble(layer, name):
    for allowed in [layer] + EXTRA_NAMESPACES.get(layer, []):
        if f"{name}::".startswith(f"kernel_audit::{allowed}::"):
            return None
    return f"namespace {name} in a file of {layer}; its folder asks for kernel_audit::{layer}"


def line_trouble(layer, path, line):
    if include := INCLUDE.match(line):
        return include_trouble(layer, path, include.group(1))
    if namespace := NAMESPACE.match(line):
        return namespace_trouble(layer, namespace.group(1))
    return None


def file_troubles(folder, path):
    layer = layer_of(path.relative_to(folder).as_posix())
    if layer is None:
        yield 1, "the file belongs to no layer of scripts/check_layers.py"
        return
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if trouble := line_trouble(layer, path, line):
            yield number, trouble


def troubles(root):
    """One "FILE:LINE: ..." for each thing that is wrong under ROOT/src/kernel_audit."""
    folder = root / "src" / "kernel_audit"
    for path in sorted(p for p in folder.rglob("*") if p.suffix in (".h", ".cc")):
        for number, trouble in file_troubles(folder, path):
            yield f"{path.relative_to(root)}:{number}: {trouble}"


def table_troubles():
    """The table itself: a layer that names one on its own line or below would allow a circle."""
    seen = []
    for layer, others in ALLOWED.items():
        yield from (f"the table lets {layer} include {other}, which is not below it" for other in others if other not in seen)
        seen.append(layer)


def main(root):
    found = list(table_troubles()) + list(troubles(root))
    print("\n".join(found) if found else "layers: every include points the right way")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent))
