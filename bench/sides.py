"""The processes that bench/compare asks, and what may be asked of them: how often, and for how long."""
import json
import queue
import statistics
import subprocess
import threading


class Overdue(Exception):
    """An answer was too long in coming; the process was ended."""


class Failed(Exception):
    """The process answered with an error, or died."""


class Process:
    """Started at the first question, and anew after an Overdue."""

    def __init__(self, *command):
        self.command, self.process = [str(part) for part in command], None

    def start(self):
        self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.answers = queue.Queue()
        threading.Thread(target=self.read, args=(self.process.stdout, self.answers), daemon=True).start()

    @staticmethod
    def read(stream, answers):
        with stream:
            for line in stream:
                answers.put(line)
        answers.put("")

    def stop(self):
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process.stdin.close()
            self.process = None

    def ask(self, patience=600.0, **request):
        if self.process is None:
            self.start()
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        try:
            line = self.answers.get(timeout=patience)
        except queue.Empty:
            self.stop()
            raise Overdue(f"over {patience:.0f} s") from None
        if not line:
            self.stop()
            raise Failed("the process died")
        answer = json.loads(line)
        if "error" in answer:
            raise Failed(answer["error"])
        return answer


class Samples:
    """Times of one side of one case, in nanoseconds, a list a round; or why there are none."""

    def __init__(self):
        self.rounds, self.cpu, self.why, self.first = [], [], "", None

    def __bool__(self):
        return bool(self.rounds)

    def all(self):
        return [ns for each in self.rounds for ns in each]

    def median(self):
        return statistics.median(self.all())

    def best(self):
        return min(self.all())

    def best_cpu(self):
        return min(self.cpu)


def ratios(ours, theirs):
    """Of the medians of each round; rounds that one side sat out are held against its median over all."""
    pairs = []
    for i in range(max(len(ours.rounds), len(theirs.rounds))):
        mine = statistics.median(ours.rounds[i]) if i < len(ours.rounds) else ours.median()
        other = statistics.median(theirs.rounds[i]) if i < len(theirs.rounds) else theirs.median()
        pairs.append(mine / other)
    return pairs


class Side:
    """One way of running a case: `run()` gives {"ns", "cpu_ns"}."""

    def __init__(self, name, run, budget, most=20, round_seconds=0.5):
        self.name, self.run, self.budget, self.most, self.round_seconds = name, run, budget, most, round_seconds
        self.samples, self.spent = Samples(), 0.0

    def sample(self):
        answer = self.run()
        self.spent += answer["ns"] / 1e9
        return answer

    def attempt(self, work):
        """False: it can't be done, and the samples say why."""
        try:
            work()
            return True
        except (Overdue, Failed) as trouble:
            self.samples.why = str(trouble)
            return False

    def warm_up(self):
        """The first runs, which don't count; a first run of many seconds does, as there will be no other."""
        first = self.sample()
        self.samples.first = first
        if first["ns"] / 1e9 < self.budget / 4:
            self.sample()
        else:
            self.note([first])
        self.spent = 0.0 if not self.samples else self.spent

    def note(self, answers):
        self.samples.rounds.append([each["ns"] for each in answers])
        self.samples.cpu += [each["cpu_ns"] for each in answers]

    def round(self):
        if self.spent > self.budget:
            return
        answers, seconds = [], 0.0
        while not answers or (len(answers) < self.most and seconds < self.round_seconds):
            answers.append(self.sample())
            seconds += answers[-1]["ns"] / 1e9
        self.note(answers)
