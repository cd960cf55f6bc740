"""Where the CPU time of a step goes: ``python -m benchmarks --profile``.

While a row trains at its quota, ``perf`` notes what all threads of all its tasks are doing, 2000 times a
second of their CPU time. Each of these samples is counted to one kind of work; a kind's share of the samples
times the CPU time of a step, measured just before without ``perf``, is what the kind costs.
"""

from __future__ import annotations

import contextlib
import functools
import re
import shutil
import subprocess
import tempfile
from collections import Counter
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # these import TensorFlow, which sorting samples does without
    from benchmarks.bench import Bench
    from benchmarks.contestants import Setting

ROWS = ("ours-6", "no-exchange-6", "mwms-6", "ps-6", "ours-6-best")
STEPS = 60

COMPUTING = "computing: oneDNN and Eigen"
ADAM = "Adam"
COPYING = "copying memory"
MEMORY = "getting and freeing memory"
RPC = "gRPC and Protobuf"
NETWORK = "the kernel's network"
SWITCHING = "waiting, waking, interrupts"
RUNTIME = "TensorFlow's runtime"
PYTHON = "Python"
REST = "rest"
KINDS = (COMPUTING, ADAM, COPYING, MEMORY, RPC, NETWORK, SWITCHING, RUNTIME, PYTHON, REST)

# What a function, written "symbol (library)", is doing; of several patterns that match, the first counts.
# Functions that all kinds call, such as spin locks and most of the standard library, match none.
_PATTERNS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern))
    for kind, pattern in (
        (MEMORY, r"(page_fault|munmap|mmap|madvise|mprotect|_brk)\S* \(\[kernel"),
        (MEMORY, r"\b(_?_?(int_)?(malloc|calloc|realloc|c?free)|unlink_chunk|operator (new|delete))\b"),
        (MEMORY, r"\b(malloc_consolidate|\w*memalign|_int_free_\w+|sysmalloc|systrim)\b|Allocator::"),
        (NETWORK, r"sendmsg|recvmsg|(tcp_|net_rx|napi|process_backlog)\S* \(\[kernel"),
        (SWITCHING, r"(futex|epoll|eventfd|entry_SYSCALL|asm_|ret_from_fork)\S* \(\[kernel"),
        (SWITCHING, r"^(syscall|epoll_\w+|sched_yield|\w*(pthread|condvar|futex|lll_lock)\w*)(@\S+)? \("),
        (SWITCHING, r"RunQueue<|GlobalSteal|MaybeGetTask|WaitForWork|EventCount|EigenEnvironment::Task::op"),
        (SWITCHING, r"absl\S*::(Mutex|CondVar)::|FutexWaiter|PerThreadSem|TheftRegistry|WorkSignal"),
        (COPYING, r"mem(move|cpy|set)\w* \((?!\[kernel)|BlockIO<|ConcatCPU|SlicingOp<|HandleCopies"),
        (COMPUTING, r"\(perf-\d+\.map\)|\(//anon\)|dnnl|mkldnn|Eigen::(internal|Tensor|ThreadPoolDevice)"),
        (COMPUTING, r"tensorflow::functor::|tsl::random::"),
        (RPC, r"[Gg]rpc|chttp2|protobuf|RPCState|RemoteRendezvous|CollectiveRemoteAccess|TensorResponse"),
        (RPC, r"^pollset_"),
        (PYTHON, r"\((libpython3|python3|_pywrap_)|\.cpython-"),
        (RUNTIME, r"tensorflow::|tsl::|\[unknown\] \(libtensorflow"),
    )
)
_RPC_THREADS = re.compile("event_engine|grpc")


class ProfileError(RuntimeError):
    """No profile can be made; the message says why and what helps."""


@dataclass(frozen=True)
class Sample:
    """What a thread was doing at one moment.

    Attributes:
        thread: Its name.
        stack: Functions that it was in, innermost first, each as "symbol (library)".
    """

    thread: str
    stack: tuple[str, ...]


@dataclass(frozen=True)
class Profile:
    """What a row's CPU time goes to.

    Attributes:
        name: Name of the row.
        cpu_ms: CPU milliseconds a step, all tasks of the row together.
        counts: Samples of each kind.
    """

    name: str
    cpu_ms: float
    counts: Mapping[str, int]

    def ms(self, kind: str) -> float:
        """Return the CPU milliseconds a step that go to a kind of work."""
        return self.cpu_ms * self.counts.get(kind, 0) / sum(self.counts.values())


def run(*, cores: float, names: Sequence[str] | None) -> dict[str, Any]:
    """Profile rows, one after the other, and return what ``profile.json`` holds.

    Args:
        cores: Fraction of a core that each task is held to.
        names: Rows wanted, ``ROWS`` where None.

    Raises:
        ProfileError: A row doesn't exist, or ``perf`` is missing or can't record here.
    """
    from benchmarks.bench import SETTINGS, Bench

    settings = _chosen(SETTINGS, ROWS if names is None else names)
    if shutil.which("perf") is None:
        raise ProfileError(
            "perf is not installed. Debian has it in the package linux-perf, Ubuntu in linux-tools-generic"
        )
    bench = Bench(cores=cores, steps=STEPS, repeats=1, names=[each.name for each in settings])
    try:
        return as_json([_profile(bench, each) for each in settings], bench.facts())
    finally:
        bench.close()


def samples(text: str) -> Iterator[Sample]:
    """Yield what ``perf script -F comm,ip,sym,dso`` printed, sample by sample."""
    for block in text.split("\n\n"):
        thread, *frames = block.strip("\n").split("\n")
        if thread:
            yield Sample(thread.strip(), tuple(_function(frame) for frame in frames))


def kind_of(sample: Sample) -> str:
    """Return the kind of work: that of the innermost function that belongs to one."""
    if any("ApplyAdam" in function for function in sample.stack):
        return ADAM  # its loops are Eigen's
    kinds = (_kind_of_function(function) for function in sample.stack)
    thread_kind = RPC if _RPC_THREADS.search(sample.thread) else REST
    return next((kind for kind in kinds if kind), thread_kind)


def as_json(profiles: Sequence[Profile], facts: dict[str, Any]) -> dict[str, Any]:
    """Return the content of ``profile.json``: ``rows`` and what the numbers depend on."""
    rows = [
        {
            "name": each.name,
            "cpu_ms_per_step": round(each.cpu_ms, 2),
            "kinds": {kind: round(each.ms(kind), 2) for kind in KINDS},
            "samples": sum(each.counts.values()),
        }
        for each in profiles
    ]
    return {"rows": rows, **facts}


def table(content: dict[str, Any]) -> str:
    """Return the content of ``profile.json`` as a table in Markdown, one line a kind, one column a row."""
    rows = content["rows"]
    lines = [
        ["CPU ms a step, all tasks", *(row["name"] for row in rows)],
        *([kind, *(f"{row['kinds'][kind]:.1f}" for row in rows)] for kind in KINDS),
        ["all", *(f"{row['cpu_ms_per_step']:.1f}" for row in rows)],
    ]
    head, *body = ("| " + " | ".join(line) + " |" for line in lines)
    return "\n".join([head, "|---|" + "---:|" * len(rows), *body]) + "\n"


def _chosen(settings: Sequence[Setting], names: Sequence[str]) -> list[Setting]:
    known = {each.name: each for each in settings}
    for name in names:
        if name not in known:
            raise ProfileError(f"no row is called {name}; there are {', '.join(known)}")
    return [known[name] for name in names]


def _profile(bench: Bench, setting: Setting) -> Profile:
    from benchmarks.tasks import cpu_s

    with tempfile.TemporaryDirectory(prefix="tfcluster-profile-") as folder:
        data = Path(folder) / "perf.data"
        with bench.limited(setting) as contestant:
            used_s = cpu_s(contestant.tasks)
            contestant.train(STEPS)
            used_s = cpu_s(contestant.tasks) - used_s
            with recording([task.process.pid for task in contestant.tasks], data):
                contestant.train(STEPS)
        counts = Counter(kind_of(sample) for sample in samples(_script(data)))
    if not counts:
        raise ProfileError(f"perf recorded nothing of {setting.name}")
    profile = Profile(setting.name, used_s / STEPS * 1000, counts)
    print(f"{profile.name}: {profile.cpu_ms:.1f} ms of CPU a step, {counts.total()} samples", flush=True)
    return profile


@contextlib.contextmanager
def recording(pids: Sequence[int], data: Path) -> Generator[None]:
    """Record all threads of some processes, into ``data``, while the block runs.

    Raises:
        ProfileError: ``perf`` can't record here.
    """
    # perf records for as long as the command given to it runs, and starts it when all is set up
    command = ["perf", "record", "--no-buildid", "--no-buildid-cache", "-e", "cpu-clock", "-F", "2000", "-g"]
    command += ["-o", str(data), "-p", ",".join(str(pid) for pid in pids), "--", "cat"]
    log = data.with_suffix(".log")
    with (
        log.open("w") as messages,
        subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=messages, bufsize=0
        ) as process,
    ):
        assert process.stdin is not None  # noqa: S101  # both are pipes
        assert process.stdout is not None  # noqa: S101
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(b"started\n")
        has_started = bool(process.stdout.readline())
        if has_started:
            yield
    if not has_started or process.returncode:
        raise ProfileError(
            f"perf can't record here: {_first_line(log)}. Run it as root with perf_event_open allowed "
            "(kernel.perf_event_paranoid below 2, in a container also its seccomp profile)"
        )


def _script(data: Path) -> str:
    command = ["perf", "script", "--no-inline", "-F", "comm,ip,sym,dso", "-i", str(data)]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode:
        raise ProfileError(f"perf can't read what it recorded: {done.stderr.strip()}")
    return done.stdout


def _first_line(log: Path) -> str:
    lines = (line.strip() for line in log.read_text(errors="replace").splitlines())
    return next((line for line in lines if line not in ("", "Error:")), "it says nothing").rstrip(".")


def _function(line: str) -> str:
    _, _, function = line.strip().partition(" ")
    symbol, _, library = function.rpartition(" (")
    return f"{symbol} ({library.rpartition('/')[2]}"


@functools.cache
def _kind_of_function(function: str) -> str | None:
    return next((kind for kind, pattern in _PATTERNS if pattern.search(function)), None)
