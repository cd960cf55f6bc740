import pytest

from training import cost_model
from training.cost_model import Machine

QUARTER = Machine(core=0.25, network_gbit_s=1000)


@pytest.mark.parametrize(("workers", "groups"), [(1, 1), (2, 2), (3, 1), (6, 2), (7, 1), (12, 3), (1000, 40)])
def test_the_grid_costs_least_and_divides_the_workers(workers: int, groups: int) -> None:
    assert cost_model.groups(workers, 3.27) == groups


def test_one_worker_exchanges_nothing() -> None:
    costs = cost_model.MNIST
    alone_ms = costs.step_ms + costs.update_ms + 600 * costs.example_ms
    assert cost_model.seconds_per_step(600, 1, 1, Machine()) == pytest.approx(alone_ms / 1000)
    assert cost_model.seconds_per_step(600, 1, 1, QUARTER) == pytest.approx(4 * alone_ms / 1000)


def test_a_longer_period_tends_to_no_exchange() -> None:
    times = [cost_model.seconds_per_step(600, 6, period, QUARTER) for period in (2, 10, 100, 10**9)]
    assert times == sorted(times, reverse=True)
    costs = cost_model.MNIST
    bound_ms = 4 * (costs.step_ms + costs.update_ms + 100 * costs.example_ms)
    assert times[-1] == pytest.approx(bound_ms / 1000, rel=1e-6)


def test_a_slower_network_costs_its_bytes() -> None:
    slow, fast = (
        cost_model.seconds_per_step(600, 6, 1, Machine(network_gbit_s=speed)) for speed in (2, 10**9)
    )
    # two groups of three: (2 * 2 + 1) / 3 models of 3.27 MB
    assert slow - fast == pytest.approx(5 / 3 * 3.27 * 8 / 2 / 1000, rel=1e-6)


def test_workers_of_one_node_share_its_network() -> None:
    apart, together = (
        cost_model.seconds_per_step(600, 6, 1, Machine(workers_per_node=count)) for count in (1, 3)
    )
    assert together > apart
    assert cost_model.seconds_per_step(600, 6, 1, Machine(workers_per_node=6)) < apart


def test_it_says_where_another_worker_stops_paying() -> None:
    most = cost_model.most_useful_workers(600, 1, QUARTER)
    assert 6 < most < 100
    best_s = cost_model.seconds_per_step(600, most, 1, QUARTER)
    assert all(
        cost_model.seconds_per_step(600, workers, 1, QUARTER) > best_s * 0.99 for workers in range(2, 601)
    )


def test_a_thousand_workers_are_predicted() -> None:
    assert cost_model.speedup(60_000, 1000, 10, Machine()) > cost_model.speedup(60_000, 100, 10, Machine())
