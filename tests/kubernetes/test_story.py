"""A user's day with the `kubernetes` stack, on a real cluster through the real engine and provider.

The tests of this module are steps of one story and rely on the order in which they stand.
"""

import json
import re
import shlex
import subprocess
import time
import urllib.error
import urllib.request
from contextlib import contextmanager

import pytest

from provider.kubernetes.diagnosis import is_ready
from tests.kubecluster.places import KUBECTL
from tests.kubecluster.processes import kubectl, wait_for
from tests.kubernetes.conftest import NAMESPACE

pytestmark = pytest.mark.kubernetes

# Connects to host and port and prints "open" or why not.
CONNECT = """
import socket, sys
try:
    socket.create_connection((sys.argv[1], int(sys.argv[2])), timeout=3).close()
    print("open")
except OSError as error:
    print(type(error).__name__)
"""


def uids(pods):
    return {name: pod["metadata"]["uid"] for name, pod in pods.items()}


def connect(cluster, pod, host, port, container=()):
    return cluster.run("exec", pod, *container, "--", "python3", "-c", CONNECT, host, str(port)).strip()


@contextmanager
def forwarded(command):
    """Run a command that the stack put out; give the address that it forwards to a pod."""
    words = shlex.split(re.sub(r" \d+:(\d+)$", r" :\1", command))  # any free port of this machine
    words[0] = str(KUBECTL)
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout
        yield f"http://{process.stdout.readline().split()[2]}"
    finally:
        process.terminate()
        process.communicate()


def status(request):
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        error.close()
        return error.code


def test_one_up_leads_from_nothing_to_a_trained_network(stack, cluster):
    up = stack.up().checked()
    outputs = stack.outputs()
    assert outputs["status"] == "succeeded", up.text
    assert outputs["steps"] == 40
    assert outputs["workers"] == 2
    assert outputs["test_accuracy"] > 0.6, up.text  # chance is 0.1
    nodes = {pod["spec"]["nodeName"] for pod in cluster.pods("worker").values()}
    assert nodes == {"work-1", "work-2"}


def test_the_run_history_has_what_the_run_left_in_the_cluster(stack):
    (run,) = stack.runs
    assert str(run) == stack.outputs()["run_dir"]
    record = json.loads((run / "result.json").read_text())
    assert record["complete"] is True
    assert record["test_accuracy"] == stack.outputs()["test_accuracy"]
    assert list((run / "events").rglob("*tfevents*"))
    lines = (run / "train.log").read_text().splitlines()
    steps = [line.split()[0] for line in lines if line[:1].isdigit()]
    assert len(steps) == len(set(steps)), "a line of progress arrived twice"
    assert not (run / "checkpoints").exists(), "checkpoints stay in the cluster"


def test_a_second_up_changes_nothing(stack, cluster):
    before = uids(cluster.pods("worker"))
    assert "unchanged" in stack.run("up", "--yes", "--skip-preview", "--expect-no-changes").checked().text
    assert uids(cluster.pods("worker")) == before
    assert len(stack.runs) == 1


def test_refresh_finds_nothing_and_up_after_it_neither(stack):
    stack.run("refresh", "--yes", "--skip-preview", "--expect-no-changes").checked()
    stack.run("up", "--yes", "--skip-preview", "--expect-no-changes").checked()


def test_a_stranger_reaches_no_server_and_a_pod_of_the_stack_does(cluster, settings):
    (interface,) = cluster.pods("if")
    container = ("--container", "notebook")
    kubectl("create", "namespace", "stranger")
    try:
        image = settings["serverImage"]
        run = ("run", "stranger", f"--image={image}", "--command", "--", "sleep", "600")
        kubectl("--namespace", "stranger", *run)
        kubectl("--namespace", "stranger", "wait", "--for=condition=Ready", "pod/stranger", "--timeout=60s")
        time.sleep(3)  # until every node has heard of the new pod
        for pod, port in ((cluster.pods("worker")["worker-0"], 2222), (cluster.pods("if")[interface], 8888)):
            address = pod["status"]["podIP"]
            probe = ("exec", "stranger", "--", "python3", "-c", CONNECT, address, str(port))
            assert kubectl("--namespace", "stranger", *probe).strip() == "TimeoutError"
        assert connect(cluster, interface, f"worker-0.worker.{NAMESPACE}.svc", 2222, container) == "open"
    finally:
        kubectl("--namespace", "stranger", "delete", "pod", "--all", "--grace-period=1")
        kubectl("delete", "namespace", "stranger", "--timeout=60s")


def test_a_pod_of_the_stack_reaches_nothing_outside_of_it(cluster):
    assert connect(cluster, "worker-0", "kubernetes.default.svc", 443) == "TimeoutError"


def test_the_notebook_is_reached_by_port_forward_and_wants_its_token(stack):
    shown = stack.run("stack", "output", "notebookToken", "--show-secrets").checked()
    token = shown.text.strip()
    with forwarded(stack.outputs()["openNotebook"]) as url:
        assert status(f"{url}/api/status") == 403
        assert status(f"{url}/api/status?token={token}") == 200
        kernel = urllib.request.Request(f"{url}/api/kernels?token={token}", data=b"{}", method="POST")
        assert status(kernel) == 201, "no kernel starts"
    assert token not in stack.run("stack", "output").checked().text


def test_tensorboard_shows_the_run(stack, cluster):
    (interface,) = cluster.pods("if")
    read = "import sys, urllib.request; print(urllib.request.urlopen(sys.argv[1]).read().decode())"
    url = "http://127.0.0.1:6006/data/runs"
    (run,) = stack.runs
    wait_for(
        "TensorBoard to load the run",
        lambda: (
            run.name in cluster.run("exec", interface, "-c", "tensorboard", "--", "python3", "-c", read, url)
        ),
        timeout_s=60,
    )


def test_a_job_deleted_by_hand_is_not_trained_again(stack):
    """The record in the run history is what counts; only without it the run is gone."""
    kubectl("--namespace", NAMESPACE, "delete", "jobs", "--all")
    stack.refresh().checked()
    stack.up().checked()
    assert len(stack.runs) == 1
    assert stack.status == "succeeded"


def test_workers_join_a_run_that_goes_on_and_no_running_pod_is_replaced(stack, cluster):
    stack.configure(steps=100_000, waitForTraining=False)
    stack.up().checked()
    assert stack.status == "running"
    wait_for("the first steps", lambda: "training from step 0 on 2" in _log(cluster), timeout_s=120)
    before = uids(cluster.pods("worker"))
    (job,) = cluster.objects("jobs", selector="app=training")
    stack.configure(workers=4)
    stack.up().checked()
    after = uids(cluster.pods("worker"))
    assert before.items() < after.items()
    assert len(after) == 4
    (same_job,) = cluster.objects("jobs", selector="app=training")
    assert same_job["metadata"]["uid"] == job["metadata"]["uid"]
    wait_for("four workers in the run", lambda: "on 4 workers" in _log(cluster), timeout_s=180)


def test_a_killed_worker_is_borne(cluster):
    before = _last_step(cluster)
    cluster.run("delete", "pod", "worker-1", "--force", "--grace-period=0")
    cluster.run("wait", "--for=condition=Ready", "pod/worker-1", "--timeout=120s")
    wait_for("the run to go on", lambda: _last_step(cluster) > before, timeout_s=180)
    assert _training_pod(cluster)["status"]["phase"] == "Running"


def test_a_drained_node_is_borne(cluster):
    """The other node has room for three of the four workers; the run goes on with them."""
    kubectl("drain", "work-2", "--ignore-daemonsets", "--delete-emptydir-data", "--timeout=120s")
    try:
        wait_for("pods to move", lambda: _nodes_of_ready_workers(cluster) == ["work-1"] * 3, timeout_s=180)
        before = _last_step(cluster)
        wait_for("the run to go on", lambda: _last_step(cluster) > before, timeout_s=180)
        assert "on 3 workers" in _log(cluster)
        assert _training_pod(cluster)["status"]["phase"] == "Running"
    finally:
        kubectl("uncordon", "work-2")


def test_refresh_finds_that_a_job_without_a_result_was_deleted_and_up_makes_it_anew(stack, cluster):
    (deleted,) = cluster.objects("jobs", selector="app=training")
    cluster.run("delete", "jobs", "--all")
    stack.refresh().checked()
    assert "training-run" not in stack.resources()
    stack.up().checked()
    (made,) = cluster.objects("jobs", selector="app=training")
    assert made["metadata"]["uid"] != deleted["metadata"]["uid"]
    assert stack.status == "running"


def test_an_interrupted_up_leaves_no_training_behind(stack, cluster):
    stack.configure(waitForTraining=True)
    up = stack.start("up", "--yes", "--skip-preview")
    up.wait_for("follows Job")
    time.sleep(2)
    up.interrupt()
    ended = up.wait()
    assert ended.code != 0
    assert "is removed" in ended.text
    assert not cluster.objects("jobs", selector="app=training"), ended.text
    assert not cluster.pods("training")


def test_destroy_leaves_nothing(stack, cluster):
    stack.configure(workers=2, steps=40)
    stack.destroy().checked()
    assert not cluster.has_namespace()
    volumes = json.loads(kubectl("get", "persistentvolumes", "--output", "json"))["items"]
    assert not volumes


def _log(cluster):
    return cluster.run("logs", "--selector=app=training", "--tail=-1")


def _last_step(cluster):
    return max(int(step) for step in re.findall(r"^ *(\d+) +\d\.\d+ ", _log(cluster), re.MULTILINE))


def _training_pod(cluster):
    (pod,) = cluster.pods("training").values()
    return pod


def _nodes_of_ready_workers(cluster):
    return [pod["spec"]["nodeName"] for pod in cluster.pods("worker").values() if is_ready(pod)]
