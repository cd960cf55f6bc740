from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks import profile
from benchmarks.profile import Profile, ProfileError, Sample

KERNEL = ("do_syscall_64 ([kernel.kallsyms])", "entry_SYSCALL_64_after_hwframe ([kernel.kallsyms])")
EXECUTOR = "tensorflow::(anonymous namespace)::ExecutorState<P>::Process (libtensorflow_framework.so.2)"
SPIN_LOCK = "_raw_spin_unlock_irqrestore ([kernel.kallsyms])"
EIGEN_LOOP = "Eigen::internal::TensorExecutor<Eigen::TensorAssignOp<T>>::run (libtensorflow_cc.so.2)"
CHTTP2 = "grpc_chttp2_begin_write (libtensorflow_cc.so.2)"
MEMMOVE = "__memmove_avx512_unaligned_erms (libc.so.6)"


@pytest.mark.parametrize(
    ("kind", "stack"),
    [
        (profile.COMPUTING, ("[unknown] (perf-123.map)",)),
        (
            profile.COMPUTING,
            ("dnnl::impl::cpu::x64::brgemm_kernel_execute (libtensorflow_cc.so.2)", EXECUTOR),
        ),
        (
            profile.COMPUTING,
            ("std::_Hashtable<std::array<int, 8ul>>::find (libtensorflow_cc.so.2)", EIGEN_LOOP),
        ),
        (profile.ADAM, (EIGEN_LOOP, "tensorflow::functor::ApplyAdamNonCuda<D, float>::operator() (lib)")),
        (profile.COPYING, (MEMMOVE, "tensorflow::ConcatCPU<float> (libtensorflow_cc.so.2)")),
        (profile.COPYING, (MEMMOVE, CHTTP2)),
        (profile.MEMORY, ("cfree@GLIBC_2.2.5 (libc.so.6)", CHTTP2)),
        (
            profile.MEMORY,
            ("clear_page_erms ([kernel.kallsyms])", "asm_exc_page_fault ([kernel.kallsyms])", MEMMOVE),
        ),
        (profile.MEMORY, ("unmap_vmas ([kernel.kallsyms])", "__x64_sys_munmap ([kernel.kallsyms])", *KERNEL)),
        (profile.RPC, (CHTTP2, EXECUTOR)),
        (profile.RPC, ("absl::lts_1::Status::~Status (libtensorflow_framework.so.2)", CHTTP2)),
        (profile.NETWORK, ("_copy_to_iter ([kernel.kallsyms])", "tcp_recvmsg ([kernel.kallsyms])", *KERNEL)),
        (
            profile.NETWORK,
            (SPIN_LOCK, "try_to_wake_up ([kernel.kallsyms])", "tcp_v4_rcv ([kernel.kallsyms])"),
        ),
        (profile.SWITCHING, (SPIN_LOCK, "futex_wake ([kernel.kallsyms])", *KERNEL, CHTTP2)),
        (profile.SWITCHING, ("finish_task_switch.isra.0 ([kernel.kallsyms])", *KERNEL, CHTTP2)),
        (profile.SWITCHING, ("absl::lts_1::Mutex::lock (libtensorflow_framework.so.2)", CHTTP2)),
        (profile.SWITCHING, ("Eigen::ThreadPoolTempl<tsl::E>::GlobalSteal (libtensorflow_framework.so.2)",)),
        (
            profile.RUNTIME,
            (EXECUTOR, "Eigen::ThreadPoolTempl<tsl::E>::WorkerLoop (libtensorflow_framework.so.2)"),
        ),
        (profile.PYTHON, ("_PyEval_EvalFrameDefault (libpython3.11.so.1.0)",)),
        (profile.REST, ("getenv (libc.so.6)",)),
        (profile.REST, ()),
    ],
)
def test_the_innermost_function_that_tells_decides_the_kind(kind: str, stack: tuple[str, ...]) -> None:
    assert profile.kind_of(Sample("tf_Compute", stack)) == kind
    assert kind in profile.KINDS


def test_what_no_function_tells_the_thread_does() -> None:
    assert profile.kind_of(Sample("event_engine", ("__tls_get_addr (ld-linux-x86-64.so.2)",))) == profile.RPC


def test_samples_are_read_from_what_perf_prints() -> None:
    text = (
        "tfcluster serve \n"
        "\tffffffff8226e979 futex_wake ([kernel.kallsyms])\n"
        "\t        332eb53f void work<int (long)>(float (*)()) (/a b/lib/libtensorflow_cc.so.2)\n"
        "\n"
        "tf_Compute \n"
        "\t    7f3c5dd2a1c0 [unknown] (/tmp/perf-123.map)\n"
        "\n"
    )
    first, second = profile.samples(text)
    waiting = ("futex_wake ([kernel.kallsyms])", "void work<int (long)>(float (*)()) (libtensorflow_cc.so.2)")
    assert first == Sample("tfcluster serve", waiting)
    assert second == Sample("tf_Compute", ("[unknown] (perf-123.map)",))


def test_the_table_shares_the_measured_time_out_over_the_kinds() -> None:
    profiles = [
        Profile("ours-6", 80.0, {profile.COMPUTING: 30, profile.NETWORK: 10}),
        Profile("mwms-6", 100.0, {profile.COMPUTING: 5}),
    ]
    content = profile.as_json(profiles, {"steps": 60})
    assert content["steps"] == 60
    assert content["rows"][0]["samples"] == 40
    head, _, *lines = profile.table(content).splitlines()
    assert head == "| CPU ms a step, all tasks | ours-6 | mwms-6 |"
    assert f"| {profile.COMPUTING} | 60.0 | 100.0 |" in lines
    assert f"| {profile.NETWORK} | 20.0 | 0.0 |" in lines
    assert lines[-1] == "| all | 80.0 | 100.0 |"
    assert len(lines) == len(profile.KINDS) + 1


@pytest.fixture
def perf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Put a program called perf on the path that runs some lines of shell."""

    def write(lines: str) -> None:
        program = tmp_path / "perf"
        program.write_text(f"#!/bin/sh\n{lines}\n")
        program.chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")

    return write


def test_a_recording_lasts_as_long_as_the_block(perf: Callable[[str], None], tmp_path: Path) -> None:
    data = tmp_path / "perf.data"
    perf(f"echo $* > {data}; cat; echo ended >> {data}")
    with profile.recording([1, 2], data):
        assert " -p 1,2 " in data.read_text()
        assert "ended" not in data.read_text()
    assert data.read_text().endswith("ended\n")


def test_a_refused_recording_is_one_line_that_says_what_to_allow(
    perf: Callable[[str], None], tmp_path: Path
) -> None:
    perf("printf 'Error:\\n\\nNo permission to enable cpu-clock event.\\n\\nMore words.\\n' >&2; exit 255")
    with pytest.raises(ProfileError) as caught, profile.recording([1], tmp_path / "perf.data"):
        raise AssertionError("nothing is recorded")
    said = str(caught.value)
    assert said.startswith("perf can't record here: No permission to enable cpu-clock event. Run it as root")
    assert "perf_event_paranoid" in said
    assert "\n" not in said
