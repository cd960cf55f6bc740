import pytest

from provider.kubernetes.containers import container_findings
from tests.provider.kubernetes.objects import NAMES, pod

IMAGE = "registry.example.com/not-found/denied@sha256:401"
PULL = "failed to pull and unpack image: "


def finding(container, **fields):
    (found,) = container_findings(pod(container=container, **fields), "worker", NAMES)
    return found


def pulling(message, reason="ImagePullBackOff"):
    return finding({"state": {"waiting": {"reason": reason, "message": message}}}, image=IMAGE)


@pytest.mark.parametrize(
    ("message", "said"),
    [
        (f"{PULL}{IMAGE}: not found", "has an image that does not exist"),
        (f"{PULL}failed with status code [manifests sha256:401]: 401 Unauthorized", "may not pull the image"),
        (f"{PULL}pull access denied, repository does not exist or may require authorization", "may not pull"),
        (f"{PULL}no match for platform in manifest: not found", "another processor architecture"),
        (f"{PULL}dial tcp: lookup registry.example.com: no such host", "does not reach the registry"),
        (f"{PULL}something unheard of", "something unheard of"),
    ],
)
def test_an_image_that_cannot_be_pulled_is_told_by_its_cause(message, said):
    found = pulling(message)
    assert said in found.sentence
    assert "serverImage" in found.sentence
    assert found.patience_s <= 30


def test_the_name_of_an_image_is_not_mistaken_for_a_cause():
    assert "may not pull" not in pulling(f'Back-off pulling image "{IMAGE}": i/o timeout').sentence


def test_a_name_that_is_no_reference_is_told_at_once():
    found = pulling("couldn't parse image name", reason="InvalidImageName")
    assert "no image reference" in found.sentence
    assert found.patience_s == 0


def test_a_program_for_another_processor_is_told_as_such():
    ended = {"exitCode": 1, "reason": "Error", "message": "exec /server: exec format error"}
    found = finding({"state": {"terminated": ended}, "restartCount": 1})
    assert "another processor architecture" in found.sentence


@pytest.mark.parametrize("place", ["state", "lastState"])
def test_out_of_memory_is_told_with_the_limit_and_the_setting(place):
    ended = {"exitCode": 137, "reason": "OOMKilled"}
    found = finding({place: {"terminated": ended}, "restartCount": 1}, memory="64Mi")
    assert found.sentence == "ran out of memory at its limit of 64Mi. Raise workerMemoryMib."
    assert found.patience_s <= 5


def test_a_server_that_recovered_from_it_is_not_reported():
    ended = {"exitCode": 137, "reason": "OOMKilled"}
    status = {"lastState": {"terminated": ended}, "ready": True, "restartCount": 1}
    assert list(container_findings(pod(container=status), "worker", NAMES)) == []


def test_a_crash_loop_is_told_with_the_last_line_and_the_command_for_the_rest():
    ended = {"exitCode": 3, "reason": "Error", "message": "Traceback\nValueError: port 99999\n"}
    found = finding(
        {
            "state": {"waiting": {"reason": "CrashLoopBackOff"}},
            "lastState": {"terminated": ended},
            "restartCount": 2,
        }
    )
    assert "exit code 3" in found.sentence
    assert "ValueError: port 99999" in found.sentence
    assert "kubectl logs -n tf worker-0 -c server --previous" in found.sentence


def test_one_restart_is_no_crash_loop():
    status = {"state": {"running": {}}, "lastState": {"terminated": {"exitCode": 1}}, "restartCount": 1}
    assert list(container_findings(pod(container=status), "worker", NAMES)) == []


def test_a_missing_secret_is_told_in_the_kubelets_words():
    waiting = {"reason": "CreateContainerConfigError", "message": 'secret "if-token" not found'}
    assert 'secret "if-token" not found' in finding({"state": {"waiting": waiting}}).sentence


def test_an_evicted_pod_is_told_with_the_nodes_reason():
    evicted = pod(phase="Failed")
    evicted["status"] |= {"reason": "Evicted", "message": "The node was low on resource: memory."}
    (found,) = container_findings(evicted, "worker", NAMES)
    assert "The node was low on resource: memory." in found.sentence
