import json
import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    "body", [("benchmarks.strategies", "mirrored_body"), ("benchmarks.mirrored_keras", "body")]
)
def test_the_workers_of_the_strategy_learn_one_model(body) -> None:
    command = [sys.executable, "-m", "tests.benchmarks.mirrored_workers", *body]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    first, second = json.loads(done.stdout)
    assert first == second
    assert first > 0.5, "ten classes: chance is 0.1"
