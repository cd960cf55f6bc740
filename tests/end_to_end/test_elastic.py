"""Workers that are added while a run is going on: real engine, real processes, no server restarted.

Each worker is held to a fraction of a core, so that six of them have more to compute with than four although
they share two cores.
"""

import os
import statistics
import time

import pytest

from benchmarks.cpu_groups import NotPermittedError, new_group
from tests.liveness import is_alive
from tests.run_events import run_events

CORES_OF_A_WORKER = 0.2
STEPS_COMPARED = 60
PATIENCE_S = 120


def wait_for_steps(run, workers, count):
    """Wait until so many steps were made with a number of workers, and return all steps."""
    for _ in range(PATIENCE_S * 10):
        made = run_events(run, "step")
        if sum(step["workers"] == workers for step in made) >= count:
            return made
        time.sleep(0.1)
    raise AssertionError(f"no {count} steps with {workers} workers:\n{(run / 'train.log').read_text()}")


@pytest.fixture
def holding():
    """Function that holds processes to a fraction of a core each."""
    groups = []
    try:
        new_group(f"tfcluster-test-{os.getpid()}").remove()
    except NotPermittedError as error:
        pytest.skip(str(error))

    def hold(*pids):
        for pid in pids:
            groups.append((new_group(f"tfcluster-test-{os.getpid()}-{pid}"), pid))
            groups[-1][0].limit(CORES_OF_A_WORKER)
            groups[-1][0].add(pid)

    yield hold
    for group, pid in groups:
        assert not is_alive(pid), "the stack must be destroyed by now"
        group.remove()


def test_a_run_takes_in_the_workers_that_an_up_adds(holding, clone):
    clone.configure(workers=4, steps=100_000, waitForTraining=False, measureSpeedup=False)
    clone.up().checked()
    before = clone.server_pids()
    assert set(before) == {"master", "worker0", "worker1", "worker2", "worker3"}
    (run,) = clone.runs
    try:
        holding(*(pid for name, pid in before.items() if name != "master"))
        wait_for_steps(run, 4, 2 * STEPS_COMPARED)

        clone.configure(workers=6)
        clone.up().checked()
        after = clone.server_pids()
        assert before.items() <= after.items(), "no server may be restarted"
        assert set(after) - set(before) == {"worker4", "worker5"}
        holding(after["worker4"], after["worker5"])
        made = wait_for_steps(run, 6, 2 * STEPS_COMPARED)
        assert clone.runs == [run], "it is still the same run"
    finally:
        clone.destroy().checked()

    assert [step["step"] for step in made] == list(range(1, len(made) + 1)), "the counter goes on"
    four = [step for step in made if step["workers"] == 4]
    six = [step for step in made if step["workers"] == 6]
    assert four + six == made
    last, first = four[-STEPS_COMPARED:], six[:STEPS_COMPARED]
    noise = statistics.stdev(step["loss"] for step in last)
    assert statistics.mean(step["loss"] for step in first) < (
        statistics.mean(step["loss"] for step in last) + 3 * noise
    )
    assert six[-1]["examples_per_sec"] > four[-1]["examples_per_sec"]
