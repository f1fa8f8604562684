#!/usr/bin/env python3
"""docs/ops.md from src/kernel_audit/ir/ops.def: `ops_table.py --write` makes it, without arguments it is compared."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
ROW = re.compile(r'^KA_OP\((\w+), "([^"]+)", (-?\d+), (-?\d+), (-?\d+), (\d+), (\w+), "([^"]*)", "([^"]*)"\)$')
DECODED = re.compile(r"OpCode::(k\w+)")
HEAD = """# What every operation means

The kernel IR is Mosaic's op set; this table is made from `src/kernel_audit/ir/ops.def`, which the printer, the verifier, the importer and the simulator
read. An operation that is not here is refused by name, with its source line. "simulated" says whether the simulator runs it; one that is
known and not simulated is refused the same way.

| operation | operands | results | effect | simulated | meaning |
| --- | --- | --- | --- | --- | --- |
"""
EFFECTS = {"kNone": "none", "kRead": "reads memory", "kWrite": "changes memory", "kControl": "holds regions", "kSync": "DMAs, semaphores", "kEnd": "ends a region"}


def count(low, high):
    if high == -1:
        return f"{low} or more"
    return str(low) if low == high else f"{low} to {high}"


def rows():
    for line in (ROOT / "src/kernel_audit/ir/ops.def").read_text(encoding="utf-8").splitlines():
        if line.startswith("KA_OP("):
            match = ROW.match(line)
            if match is None:
                sys.exit(f"ops_table: a row of ops.def is not understood: {line}")
            yield match.groups()


def simulated():
    """Codes that the simulator's execute_*.cc files register, and those that end a region, which decode.cc takes."""
    codes = set()
    for path in sorted((ROOT / "src/kernel_audit/sim").glob("execute_*.cc")):
        text = path.read_text(encoding="utf-8")
        for function in re.findall(r"^void Register\w+\(DecodeTable& table\) \{\n(.*?)^\}", text, re.M | re.S):
            codes.update(DECODED.findall(function))
    return codes


def table():
    known = simulated()
    text = HEAD
    for code, name, low, high, results, _, effect, _, meaning in rows():
        runs = "yes" if code in known or effect == "kEnd" else "no"
        shown = "any" if results == "-1" else results
        text += f"| `{name}` | {count(int(low), int(high))} | {shown} | {EFFECTS[effect]} | {runs} | {meaning} |\n"
    return text


def main():
    path = ROOT / "docs/ops.md"
    if sys.argv[1:] == ["--write"]:
        path.write_text(table(), encoding="utf-8")
        return 0
    if path.is_file() and path.read_text(encoding="utf-8") == table():
        print("docs/ops.md says what ops.def says")
        return 0
    print("docs/ops.md is not what ops.def says: run scripts/ops_table.py --write")
    return 1


if __name__ == "__main__":
    sys.exit(main())
