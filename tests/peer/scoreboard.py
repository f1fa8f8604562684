"""The comparison's results as text: one line of counts, and docs/peer.md."""
import dataclasses
from typing import Any

# Properties of Pallas, numbered as the conformance cases' names begin: a row passes where all its cases do.
CONFORMANCE = (
    "a block revisited after others is an error", "matrix product over a grid", "blocks outside an array", "scalars read outside an array",
    "a DMA's range outside an array", "scalar prefetch", "grids whose extents come at run time", "aliases that later programs read",
    "a DMA read before and after its wait", "floating-point operations skipped on request", "memory read before it is written",
    "how often blocks are stored", "parallel dimensions in any order", "an arbitrary dimension before a parallel one: JAX's TPU interpreter refuses it, JAX's lowering does not",
    "cores that meet at a barrier", "memory that cores share, ordered by a semaphore", "the same with nothing that orders it",
    "two cores on one block and on their own", "which core runs which programs", "a load from HBM", "a DMA to half of an aliased output",
    "a ring of devices", "collectives among devices", "races among devices", "a pipeline's copy", "a pipeline that gathers",
    "a pipeline that scatters", "pipelines of several cycles, and accumulating ones", "slices of bounded size",
    "windows that overlap, and padded ones",
)
VERDICTS = ("passes", "differs", "unsupported")
SIDES = {"tpu": "JAX's TPU interpreter", "plain": "JAX's plain interpreter", "ours": "kernel-audit"}
HEAD = """# Held against JAX

Written by `tests/peer/run_peer.py` from what it saw with JAX {version}: kernels that JAX lowered for a TPU, run by JAX's two interpreters on a CPU and by
`kernel-audit simulate`, under DMA schedules early, late and random. A case passes where the values are those of a reference that uses no
Pallas, within the case's tolerance, with no finding; a faulty kernel passes where its fault, and nothing else, is reported (JAX's interpreters
report races, and some accesses outside). What is unsupported is counted as that. A case for several cores runs on each of these numbers of cores.

- `production`: the kernels of `jax.experimental.pallas.ops.tpu`, with several of their options, dtypes and shapes.
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
    lines = [f"\n## The cases of {group}\n", "| case | " + " | ".join(SIDES.values()) + " |", "| --- | --- | --- | --- |"]
    for row in sorted(rows, key=lambda row: row.name) if group == "conformance" else rows:
        sides = [row.side(side) for side in SIDES]
        if group == "primitives" and all(verdict == "passes" for verdict, _ in sides):
            continue
        fault = f" ({', '.join(row.case.findings)})" if row.case.findings else ""
        lines.append(f"| {row.name}{fault} | " + " | ".join(cell(f"{v}: {n}" if n else v) for v, n in sides) + " |")
    if group == "primitives":
        lines.append("\nAll others pass on every side.")
    return lines


def conformance(rows):
    """A row for each of CONFORMANCE, where all are there."""
    verdicts = {side: [] for side in SIDES}
    lines = ["\n## The conformance list\n", "A row passes where all its cases do; they are below by the number that their names begin with.\n",
             "| number | property | cases | " + " | ".join(SIDES.values()) + " |", "| --- | --- | --- |" + " --- |" * len(SIDES)]
    for number, title in enumerate(CONFORMANCE, 1):
        mine = [row for row in rows if row.case.source == "conformance" and row.name.startswith(f"{number:02}_")]
        if not mine:
            return []
        for side in SIDES:
            seen = {row.side(side)[0] for row in mine}
            verdicts[side].append("passes" if seen == {"passes"} else next(v for v in ("differs", "unsupported", "not lowered", "not run") if v in seen))
        lines.append(f"| {number} | {title} | {len(mine)} | " + " | ".join(verdicts[side][-1] for side in SIDES) + " |")
    lines.append("| | passes, of 30 | | " + " | ".join(str(verdicts[side].count("passes")) for side in SIDES) + " |")
    return lines


def document(rows):
    import jax
    lines = [HEAD.format(version=jax.__version__), *totals(rows), *conformance(rows)]
    for group in dict.fromkeys(row.case.source for row in rows):
        lines += table([row for row in rows if row.case.source == group], group)
    return "\n".join(lines) + "\n"
