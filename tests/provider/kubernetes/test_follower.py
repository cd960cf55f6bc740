"""A Job is followed in a cluster that is a few lists here; the suite on the test cluster has real ones."""

import json
import threading

import pytest

from provider.errors import InterruptedByUser
from provider.kubernetes import diagnosis
from provider.kubernetes import follower as module
from provider.kubernetes.client import ApiRefused, ApiUnreachable
from provider.kubernetes.follower import Follower, JobGone, RunFailed
from provider.operation import Operation
from provider.progress import Progress
from tests.provider.kubernetes.objects import pod

RECORD = {"test_accuracy": 0.9, "complete": True}


class Methods:
    """Stands for `core` and `batch`: a method is its name."""

    def __getattr__(self, name):
        return name


class FakeCluster:
    """One Job with one pod; each look takes the next state, and the last one stays."""

    server = "https://fake"
    core = batch = Methods()

    def __init__(self, *states):
        self.states = list(states)

    def _now(self):
        state = self.states[0]
        if isinstance(state, Exception):
            self.states.pop(0)
            raise state
        return state

    def find(self, method, *arguments):
        assert method == "read_namespaced_job"
        state = self._now()
        if len(self.states) > 1:
            self.states.pop(0)
        return state.get("job")

    def items(self, method, *arguments, **options):
        selector = options.get("label_selector", "")
        is_own = method == "list_namespaced_pod" and selector.startswith("batch.kubernetes.io")
        return [self._now()["pod"]] if is_own else []

    def log(self, namespace, name, container, **options):
        text = self._now().get("log", "")
        if isinstance(text, Exception):
            raise text
        return text


def job(*conditions):
    return {"status": {"conditions": [{"status": "True", **condition} for condition in conditions]}}


def state(*conditions, log="", ended=None):
    status = {"state": {"terminated": ended} if ended else {"running": {}}}
    return {"job": job(*conditions), "log": log, "pod": pod("training-1-x", container=status)}


def lines(*texts):
    return "".join(f"2026-11-30T06:00:{number:02}Z {text}\n" for number, text in enumerate(texts))


def follow(tmp_path, monkeypatch, *states, cancelled=None):
    monkeypatch.setattr(module, "LOOK_PERIOD_S", 0.01)
    shown = []

    def terminal(urn, line, *, is_warning, is_ephemeral):
        shown.append(("warning" if is_warning else "line", line))

    urn = "urn:pulumi:test::tfcluster::tfcluster:index:KubernetesRun::training"
    operation = Operation(urn=urn, progress=Progress(terminal, urn), cancelled=cancelled or threading.Event())
    followed = Follower(
        api=FakeCluster(*states),
        operation=operation,
        namespace="tf",
        job="training-1",
        run_dir=tmp_path,
        steps=20,
        servers=["master-0", "worker-0"],
        setting_names={"training": {"memory": "trainingMemoryMib"}},
        api_timeout_s=0.2,
    )
    return followed.result(), shown


COMPLETE = {"type": "Complete"}
FAILED = {"type": "Failed", "reason": "BackoffLimitExceeded"}


def test_a_complete_record_is_the_result(tmp_path, monkeypatch):
    ended = {"exitCode": 0, "message": json.dumps(RECORD)}
    result, _ = follow(tmp_path, monkeypatch, state(), state(COMPLETE, ended=ended))
    assert result == RECORD


def test_servers_that_are_missing_are_named(tmp_path, monkeypatch):
    log = lines("error: worker-0.worker.tf.svc:2222 does not resolve.")
    with pytest.raises(RunFailed, match="worker-0: there is no such pod"):
        follow(tmp_path, monkeypatch, state(FAILED, log=log, ended={"exitCode": 1}))


def test_a_server_that_stays_away_is_told_while_the_run_waits_for_it(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "DIAGNOSIS_PERIOD_S", 0)
    monkeypatch.setattr(diagnosis, "MISSING_PATIENCE_S", 0)
    ended = {"exitCode": 0, "message": json.dumps(RECORD)}
    _, shown = follow(tmp_path, monkeypatch, state(), state(COMPLETE, ended=ended))
    warnings = [line for kind, line in shown if kind == "warning"]
    assert [line.split()[0] for line in warnings] == ["master-0", "worker-0"]
    assert "`pulumi up --refresh`" in warnings[0]


def test_a_record_counts_even_if_kubernetes_calls_the_job_failed(tmp_path, monkeypatch):
    ended = {"exitCode": 1, "message": json.dumps(RECORD)}
    result, _ = follow(tmp_path, monkeypatch, state(FAILED, ended=ended))
    assert result == RECORD


def test_a_program_that_ends_well_without_a_record_has_not_succeeded(tmp_path, monkeypatch):
    with pytest.raises(RunFailed, match="ended without a result record"):
        follow(tmp_path, monkeypatch, state(COMPLETE, ended={"exitCode": 0, "message": ""}))


def test_the_programs_own_error_line_is_the_reason_in_the_users_words(tmp_path, monkeypatch):
    log = lines("10 0.5 1.5 0.04", "error: worker1 does not answer. Raise cluster_wait_s.")
    with pytest.raises(RunFailed, match=r"failed: worker1 does not answer\. Raise clusterWaitSeconds"):
        follow(tmp_path, monkeypatch, state(log=log), state(FAILED, log=log, ended={"exitCode": 1}))


def test_a_deadline_is_told_with_the_last_line_and_the_setting(tmp_path, monkeypatch):
    log = lines("10 0.5 1.5 0.04")
    states = [state(log=log), state({"type": "Failed", "reason": "DeadlineExceeded"}, log=log)]
    with pytest.raises(RunFailed, match=r"deadline .* step 10 of 20: .* Raise trainTimeoutSeconds"):
        follow(tmp_path, monkeypatch, *states)


def test_out_of_memory_is_told_with_the_setting(tmp_path, monkeypatch):
    ended = {"exitCode": 137, "reason": "OOMKilled"}
    with pytest.raises(RunFailed, match=r"ran out of memory\. Raise trainingMemoryMib"):
        follow(tmp_path, monkeypatch, state(FAILED, ended=ended))


def test_lines_arrive_once_though_the_log_breaks_off_twice(tmp_path, monkeypatch):
    ended = {"exitCode": 0, "message": json.dumps(RECORD)}
    whole = lines("a", "warning: worker1 is slow", "b", "c")
    broken = {**state(), "log": ApiRefused(500, "the connection was lost", "https://fake")}
    states = [
        state(log=lines("a")), broken, state(log=lines("a", "warning: worker1 is slow", "b")), broken,
        state(COMPLETE, log=whole, ended=ended),
    ]  # fmt: skip
    _, shown = follow(tmp_path, monkeypatch, *states)
    assert (tmp_path / "train.log").read_text().splitlines() == ["a", "warning: worker1 is slow", "b", "c"]
    assert [line for kind, line in shown if kind == "warning"] == ["worker1 is slow"]


def test_an_api_server_that_is_away_for_a_moment_costs_nothing(tmp_path, monkeypatch):
    ended = {"exitCode": 0, "message": json.dumps(RECORD)}
    result, _ = follow(tmp_path, monkeypatch, ApiUnreachable("gone"), state(COMPLETE, ended=ended))
    assert result == RECORD


def test_an_api_server_that_stays_away_is_told_with_what_goes_on(tmp_path, monkeypatch):
    with pytest.raises(ApiUnreachable, match="Job training-1 goes on without us"):
        follow(tmp_path, monkeypatch, *[ApiUnreachable("gone.") for _ in range(1000)])


def test_a_job_deleted_by_somebody_else_is_told_as_such(tmp_path, monkeypatch):
    with pytest.raises(JobGone, match="was deleted while it was followed"):
        follow(tmp_path, monkeypatch, state(), {**state(), "job": None})


def test_an_interruption_ends_it_at_once(tmp_path, monkeypatch):
    cancelled = threading.Event()
    cancelled.set()
    with pytest.raises(InterruptedByUser):
        follow(tmp_path, monkeypatch, state(), cancelled=cancelled)
