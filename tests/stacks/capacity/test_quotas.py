import pytest

from stacks.capacity.quotas import TRIAL, Quota, Quotas, parse_limit


def test_what_is_available_is_the_limit_less_what_is_in_use_and_never_negative():
    assert Quota(8, 2).available == 6
    assert Quota(8, 12).available == 0


def test_the_stacks_own_use_is_taken_out_of_what_is_in_use():
    others = Quotas({"CPUS": Quota(8, 7), "INSTANCES": Quota(24, 3)}, source="test").without({"CPUS": 5})
    assert others.by_metric == {"CPUS": Quota(8, 2), "INSTANCES": Quota(24, 3)}


def test_own_use_that_google_does_not_count_yet_leaves_nothing_negative():
    assert Quotas({"CPUS": Quota(8, 1)}, source="test").without({"CPUS": 5}).by_metric == {
        "CPUS": Quota(8, 0)
    }


def test_the_trial_has_eight_vcpu_however_they_are_counted():
    for metric in ("CPUS", "E2_CPUS", "CPUS_ALL_REGIONS"):
        assert TRIAL.by_metric[metric] == Quota(8)
    assert TRIAL.by_metric["SSD_TOTAL_GB"] == Quota(250)
    assert not TRIAL.is_live


def test_an_unknown_metric_has_to_be_kept_unless_projects_often_lack_it():
    known = Quotas({"CPUS": Quota(8)}, source="test")
    assert known.limits("C3_CPUS")
    assert known.get("C3_CPUS") is None
    assert not known.limits("E2_CPUS")
    assert Quotas({"E2_CPUS": Quota(8)}, source="test").limits("E2_CPUS")


def test_limits_given_by_hand_replace_the_others_and_are_mentioned():
    given = TRIAL.with_limits({"CPUS": 24, "N2_CPUS": 8})
    assert given.by_metric["CPUS"] == Quota(24)
    assert given.by_metric["N2_CPUS"] == Quota(8)
    assert given.by_metric["SSD_TOTAL_GB"] == Quota(250)
    assert "2 given by hand" in given.source
    assert TRIAL.with_limits({}) is TRIAL


@pytest.mark.parametrize(
    ("text", "pair"),
    [("CPUS=24", ("CPUS", 24)), ("CPUS_PER_VM_FAMILY:C4=0", ("CPUS_PER_VM_FAMILY:C4", 0))],
)
def test_a_limit_is_written_as_metric_equals_number(text, pair):
    assert parse_limit(text) == pair


@pytest.mark.parametrize("text", ["CPUS", "CPUS=", "CPUS=-1", "CPUS=many", "cpus=8", "=8", "CPUS=8.5"])
def test_anything_else_is_refused_with_an_example(text):
    with pytest.raises(ValueError, match="for example CPUS=24"):
        parse_limit(text)
