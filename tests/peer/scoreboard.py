"""The comparison's results as text: one line of counts, and docs/peer.md."""
import dataclasses
from typing import Any

VERDICTS = ("passes", "differs", "unsupported")
SIDES = {"tpu": "JAX's TPU interpreter", "plain": "JAX's plain interpreter", "ours": "kernel-audit"}
HEAD = """# Held against JAX

Written by `tests/peer/run_peer.py` from what it saw with JAX {version}: kernels that JAX lowered for a TPU, run by JAX's two interpreters on a CPU and by
`kernel-audit simulate`, under DMA schedules early, late and random. A case passes where the values are those of a reference that uses no
Pallas, within the case's tolerance, with no finding; a faulty kernel passes where its fault, and nothing else, is reported (JAX's interpreters
report races, and some accesses outside). What is unsupported is counted as that.

- `production`: the kernels of `jax.experimental.pallas.ops.tpu`.
- `conformance`: one property of Pallas each (grids, windows, DMAs, semaphores, pipelines, references, faults).
- `primitives`: each primitive that JAX lowers for a TensorCore, on vectors and scalars.
"""


@dataclasses.dataclass
class Row:
    name: str
    case: Any
    jax: dict[str, Any]
    verdict: str
    note: str

    def side(self, name):
        """(verdict, note) of one of SIDES."""
        if name == "ours":
            return self.verdict, self.note
        answer = self.jax.get(name)
        return (answer["verdict"], answer["note"]) if answer else ("not run", "")


def count(rows, side, verdict):
    return sum(row.side(side)[0] == verdict for row in rows)


def summary(rows):
    counts = ", ".join(f"{count(rows, 'ours', verdict)} {verdict}" for verdict in VERDICTS)
    return f"kernel-audit: {counts} of {len(rows)} cases; {count(rows, 'ours', 'not lowered')} not lowered by JAX"


def cell(text):
    return text.replace("|", "\\|").replace("\n", " ")


def totals(rows):
    lines = ["| cases | side | passes | differs | unsupported |", "| --- | --- | --- | --- | --- |"]
    for group in dict.fromkeys(row.case.source for row in rows):
        mine = [row for row in rows if row.case.source == group]
        for side, title in SIDES.items():
            lines.append(f"| {group} ({len(mine)}) | {title} | " + " | ".join(str(count(mine, side, v)) for v in VERDICTS) + " |")
    return lines


def table(rows, group):
    """A row a case; of the primitives only those where somebody fails."""
    lines = [f"\n## {group}\n", "| case | " + " | ".join(SIDES.values()) + " |", "| --- | --- | --- | --- |"]
    for row in rows:
        sides = [row.side(side) for side in SIDES]
        if group == "primitives" and all(verdict == "passes" for verdict, _ in sides):
            continue
        fault = f" ({', '.join(row.case.findings)})" if row.case.findings else ""
        lines.append(f"| {row.name}{fault} | " + " | ".join(cell(f"{v}: {n}" if n else v) for v, n in sides) + " |")
    if group == "primitives":
        lines.append("\nAll others pass on every side.")
    return lines


def document(rows):
    import jax
    lines = [HEAD.format(version=jax.__version__), *totals(rows)]
    for group in dict.fromkeys(row.case.source for row in rows):
        lines += table([row for row in rows if row.case.source == group], group)
    return "\n".join(lines) + "\n"
