from pathlib import Path

import pytest

from stacks.run import run_settings
from stacks.settings import parse
from stacks.stack_file import default_values

PROJECT = Path(__file__).resolve().parents[2]


def settings_of_run(data_file: str = "", **changes: str):
    return run_settings(parse(default_values(PROJECT) | changes, "the test"), data_file)


@pytest.mark.parametrize(
    ("setting", "text", "field", "value"),
    [
        ("task", "my.task", "task", "my.task"),
        ("steps", "7", "steps", 7),
        ("batchSize", "60", "batch_size", 60),
        ("learningRate", "0.01", "learning_rate", 0.01),
        ("seed", "9", "seed", 9),
        ("syncPeriod", "5", "sync_period", 5),
        ("workers", "3", "workers", 3),
        ("workerGainPercent", "40", "worker_gain_min", 0.4),
        ("measureSpeedup", "false", "measure_speedup", False),
        ("resume", "true", "resume", True),
        ("clusterWaitSeconds", "5", "cluster_wait_s", 5),
        ("peerTimeoutSeconds", "5", "peer_timeout_s", 5),
        ("trainTimeoutSeconds", "5", "train_timeout_s", 5),
    ],
)
def test_a_setting_of_the_stack_reaches_the_training_program(setting, text, field, value):
    assert settings_of_run(**{setting: text})[field] == value
    assert settings_of_run()[field] != value


def test_the_data_file_is_the_path_the_coordinator_sees():
    assert settings_of_run(data_file="/data/file")["data_file"] == "/data/file"


def test_a_fixed_number_of_workers_leaves_the_run_no_choice():
    run = settings_of_run(workers="4")
    assert (run["workers_min"], run["workers_max"]) == (0, 0)


def test_automatic_workers_give_the_run_its_range():
    run = settings_of_run(workers="auto", workersMin="2", workersMax="5")
    assert (run["workers"], run["workers_min"], run["workers_max"]) == (5, 2, 5)


def test_where_the_servers_are_is_left_to_what_starts_them():
    assert "members" not in settings_of_run()
