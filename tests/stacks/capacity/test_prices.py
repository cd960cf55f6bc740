import pytest

from stacks.capacity import prices
from stacks.capacity.request import NodeSharing
from tests.stacks.capacity.asked import LAYOUT_OF_2016, ROOMY, ask, planned


def test_an_hour_of_the_2016_layout_is_the_sum_of_its_parts():
    lines = planned(ask(**LAYOUT_OF_2016)).cost.lines
    assert lines["nodes"] == pytest.approx(8 * 0.0475, rel=0.001)
    assert lines["disks"] == pytest.approx((8 * 30 + 10) * 0.10 / 730, rel=0.001)
    assert lines["control plane"] == 0.10
    assert lines["NAT and addresses"] == pytest.approx(8 * 0.0014 + 0.005)


def test_a_run_costs_the_time_from_up_to_destroy():
    cost = planned(ask()).cost
    assert cost.run_dollars == pytest.approx(cost.run_hours * cost.dollars_per_hour)
    assert cost.run_hours > 15 / 60


def test_googles_credit_pays_the_fee_of_one_zonal_cluster():
    assert planned(ask()).cost.credit_per_hour == pytest.approx(0.10)


def test_machines_and_disks_cost_more_elsewhere_and_the_fee_does_not():
    here, there = planned(ask()).cost.lines, planned(ask(zone="southamerica-east1-a")).cost.lines
    assert there["nodes"] == pytest.approx(1.59 * here["nodes"])
    assert there["control plane"] == here["control plane"]


def test_an_unknown_region_has_known_prices_and_a_warning():
    plan = planned(ask(zone="mars-north1-a"))
    assert plan.cost.lines == planned(ask()).cost.lines
    assert any("Prices of mars-north1 aren't known" in text for text in plan.warnings)
    assert not prices.is_known("mars-north1")


def test_public_nodes_pay_for_their_addresses_instead_of_nat():
    lines = planned(ask(private_nodes=False, workers=2, **LAYOUT_OF_2016), ROOMY).cost.lines
    assert lines["NAT and addresses"] == pytest.approx(4 * 0.005)


def test_spot_is_cheaper_for_the_workers_alone():
    request = {"machine_type": "e2-standard-2", "node_sharing": NodeSharing.SERVICES, "workers": 3}
    usual, spot = planned(ask(**request)).cost.lines, planned(ask(spot=True, **request)).cost.lines
    assert usual["nodes"] - spot["nodes"] == pytest.approx(3 * (0.067011 - 0.040212), rel=0.001)


def test_nat_has_a_flat_fee_for_many_nodes():
    lines = planned(ask("gke", workers=200, machine_type="n1-standard-2", vcpu_budget=0), ROOMY).cost.lines
    assert lines["NAT and addresses"] == pytest.approx(0.044 + 0.005)
