"""Prints, as JSON, the losses that teams of different sizes give on the same batches.

Run as a program, because it forks: ``python -m tests.training.losses_of_teams MEMBERS_FILE CASES``, where a
case is
``{"task": ..., "workers": 2, "withheld": null, "steps": 50, "batch": 600,
"rate": 0.001, "period": 1}``.
"""

import functools
import json
import os
import sys
from pathlib import Path
from typing import Any

from training.environment import import_tensorflow

import_tensorflow()

from training.arrangement import STEPS_A_CALL, Work  # noqa: E402  # everything of ours comes after TensorFlow
from training.members import FileMembers  # noqa: E402
from training.session import Order, Team, Trained, free_port, train  # noqa: E402
from training.session_process import SessionProcess  # noqa: E402
from training.state import TrainingState  # noqa: E402
from training.tasks import DataRequest, load_task  # noqa: E402


def losses(members_file: Path, case: dict[str, Any]) -> list[float]:
    task = load_task(case["task"])
    members = FileMembers(members_file).read()
    assert members.master
    work = Work(
        task=task,
        train=task.load_data(DataRequest()).train,
        batch_size=case["batch"],
        learning_rate=case["rate"],
        sync_period=case["period"],
        seed=1,
        withheld_worker=case["withheld"],
    )
    team = Team(members.master, members.workers[: case["workers"]])
    state = TrainingState(0, task.initial_parameters(1))
    body = functools.partial(train, team=team, port=free_port(), work=work, state=state)
    session = SessionProcess(body, "tfcluster test session", os.dup(2))
    told: list[float] = []
    try:
        while len(told) < case["steps"]:
            session.send(Order(min(STEPS_A_CALL, case["steps"] - len(told))))
            answer = session.receive(120)
            assert isinstance(answer, Trained), answer
            assert answer.reports
            told += [float(loss) for loss in answer.reports.losses]
    finally:
        session.kill()
    return told


if __name__ == "__main__":
    found = [losses(Path(sys.argv[1]), case) for case in json.loads(sys.argv[2])]
    sys.stdout.write(json.dumps(found) + "\n")
