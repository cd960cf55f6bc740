from provider.kubernetes.finding import Finding
from provider.kubernetes.observation import Patience


def fault(patience_s, kind="memory"):
    return Finding(subject="worker-0", kind=kind, sentence="...", patience_s=patience_s)


def test_a_fault_counts_once_it_has_lasted():
    now = [0.0]
    patience = Patience(clock=lambda: now[0])
    assert patience.exhausted_by([fault(10)]) == []
    now[0] = 9
    assert patience.exhausted_by([fault(10)]) == []
    now[0] = 10
    assert patience.exhausted_by([fault(10)]) == [fault(10)]


def test_a_fault_that_went_away_starts_anew():
    now = [0.0]
    patience = Patience(clock=lambda: now[0])
    patience.exhausted_by([fault(10)])
    now[0] = 8
    patience.exhausted_by([])
    now[0] = 12
    assert patience.exhausted_by([fault(10)]) == []


def test_once_one_fault_counts_all_are_told():
    patience = Patience(clock=lambda: 0.0)
    found = [fault(0), fault(60, "unschedulable")]
    assert patience.exhausted_by(found) == found
