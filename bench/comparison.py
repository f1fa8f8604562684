"""The figures of bench/compare as text."""
import os
import pathlib
import statistics

from sides import ratios

BEGIN, END = "<!-- bench/compare writes from here", "<!-- to here -->"
SIDES = {"off": "ours, observers off", "on": "ours, observers on", "xla": "XLA:CPU, plain program", "interpret": "JAX's TPU interpretation",
         "races": "JAX's, races on"}
# (numerator, denominator): which ratios a table shows, and as what. XLA:CPU uses every core, so its CPU times are shown too.
RATIOS = (("off", "xla", "off / XLA"), ("on", "xla", "on / XLA"), ("interpret", "off", "JAX / off"), ("races", "on", "JAX races / on"))
EXPLANATION = """
Ours with observers on includes race detection: there is no other mode. Each side runs in a process of its own that is warm (nothing is compiled or loaded
within a time); a time is from arrays in place to outputs in place, which both XLA:CPU and our tier allocate anew. Sides take turns, {rounds} rounds, up to
{most} runs a round; where one run takes many seconds one run is all. A cell holds the median of all runs and, in brackets, the fastest; a ratio is the median
of the rounds' ratios of medians, in brackets the smallest and the largest of these, and then the ratio of the fastest runs, which is what a machine that
others work on at the same time disturbs least. The last column holds the least CPU time, over all threads, against XLA:CPU's: XLA:CPU divides its work
among all cores. `not run` says why.
"""


def machine():
    """The machine by what it is made of."""
    cpu = next((line.split(":", 1)[1].strip() for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")), "unknown CPU")
    kilobytes = int(pathlib.Path("/proc/meminfo").read_text().split()[1])
    return f"{cpu}, {os.cpu_count()} cores, {kilobytes / 2**20:.0f} GiB of memory"


def seconds(ns):
    value = ns / 1e9
    for unit, factor in (("s", 1), ("ms", 1e3), ("µs", 1e6)):
        if value * factor >= 1:
            return f"{value * factor:.3g} {unit}"
    return f"{ns:.0f} ns"


def number(value):
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def time_cell(samples):
    if not samples:
        return f"not run ({samples.why})" if samples.why else "-"
    many = len(samples.all()) > 1
    return seconds(samples.median()) + (f" [{seconds(samples.best())}]" if many else "")


def ratio_cell(above, below):
    if not above or not below:
        return "-"
    values = ratios(above, below)
    spread = f" [{number(min(values))}–{number(max(values))}]" if len(values) > 1 else ""
    fastest = f", fastest {number(above.best() / below.best())}" if len(values) > 1 else ""
    return number(statistics.median(values)) + spread + fastest


def cpu_cell(above, below):
    return number(above.best_cpu() / below.best_cpu()) if above and below else "-"


def family_table(rows):
    """rows: (case, {side: Samples}) of one family."""
    lines = ["| case | " + " | ".join(SIDES.values()) + " | " + " | ".join(title for _, _, title in RATIOS) + " | off / XLA, CPU time |",
             "| --- " * (2 + len(SIDES) + len(RATIOS)) + "|"]
    for case, sides in rows:
        cells = [time_cell(sides[side]) for side in SIDES] + [ratio_cell(sides[a], sides[b]) for a, b, _ in RATIOS] + [cpu_cell(sides["off"], sides["xla"])]
        lines.append(f"| {case.name} | " + " | ".join(cells) + " |")
    return lines


def limit_cell(case, measured):
    """What the memory and the arithmetic of one core allow, from what measure_machine saw: the larger of the two."""
    one = measured[0]
    memory, arithmetic = case.bytes / one["triad_gb_s"], case.flops / one["gflop_s"]
    return f"{seconds(max(memory, arithmetic))} ({'memory' if memory >= arithmetic else 'arithmetic'})"


def limits_table(rows, measured):
    lines = ["| case | bytes it must move | operations | one core's limit | ours, observers off, fastest | times the limit |", "| --- " * 6 + "|"]
    for case, sides in rows:
        if not sides["off"]:
            continue
        limit = max(case.bytes / measured[0]["triad_gb_s"], case.flops / measured[0]["gflop_s"])
        best = sides["off"].best()
        lines.append(f"| {case.name} | {case.bytes / 1e6:.4g} MB | {case.flops / 1e9:.3g} G | {limit_cell(case, measured)} | {seconds(best)} | {number(best / limit)} |")
    return lines


def measured_table(measured):
    lines = ["| threads | reading | z = x + y | the same past the caches | first touch of a page | float32 FMA |", "| --- " * 6 + "|"]
    for each in measured:
        lines.append(f"| {each['threads']} | {each['read_gb_s']} GB/s | {each['triad_gb_s']} GB/s | {each['triad_streaming_gb_s']} GB/s | "
                     f"{each['fresh_page_ns']} ns | {each['gflop_s']} Gflop/s |")
    return lines


def document(rows, measured, settings):
    """rows: (case, {side: Samples}); settings: rounds, most, date, load, version."""
    lines = [f"{BEGIN}: {settings['command']} -->", f"Measured on {settings['date']}: {machine()}; load {settings['load']} at the beginning. JAX {settings['version']}.",
             EXPLANATION.format(**settings)]
    for family in dict.fromkeys(case.family for case, _ in rows):
        lines += [f"### {family[0].upper() + family[1:]}\n", *family_table([row for row in rows if row[0].family == family]), ""]
    lines += ["### What the machine can do\n", "`measure_machine`, on 256 MiB arrays; the best of several runs.\n", *measured_table(measured), "",
              "### Against the limit\n", "The limit: bytes at the speed of z = x + y on one thread, operations at its FMA, whichever takes longer.\n",
              *limits_table(rows, measured), END]
    return "\n".join(lines) + "\n"


def insert(path, text):
    """Puts the text where the document's last one was, or at its end."""
    old = path.read_text() if path.exists() else "# Performance\n\n"
    begin, end = old.find(BEGIN), old.find(END)
    if begin < 0 or end < begin:
        path.write_text(old + text)
    else:
        path.write_text(old[:begin] + text + old[end + len(END):].lstrip("\n"))
