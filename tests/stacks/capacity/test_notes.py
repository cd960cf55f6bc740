from stacks.capacity.request import NodeSharing
from tests.stacks.capacity.asked import ROOMY, ask, planned, quotas


def warned(text: str, request, known=ROOMY) -> bool:
    return any(text in warning for warning in planned(request, known).warnings)


def test_quotas_that_were_not_read_are_mentioned_and_those_that_were_are_not():
    assert not warned("quotas were not read", ask(), quotas())
    assert any(
        "quotas were not read; in their place: the free trial's usual quotas" in text
        for text in planned(ask()).warnings
    )


def test_one_node_for_everything_is_mentioned_with_the_setting_that_changes_it():
    assert warned("nodeSharing=services", ask())
    assert not warned("nodeSharing=services", ask(node_sharing=NodeSharing.SERVICES, worker_cpu=0))


def test_what_the_zone_offers_is_mentioned_where_it_was_not_checked():
    assert warned(
        "It was not checked that us-central1-a offers e2-standard-8.", ask(machine_type="e2-standard-8")
    )
    offered = frozenset({"e2-standard-8"})
    assert not warned("It was not checked", ask(machine_type="e2-standard-8", offered=offered))


def test_spot_is_mentioned():
    assert warned("Spot machines can be taken away", ask(spot=True, worker_cpu=0))
    assert not warned("Spot machines", ask())


def test_workers_that_hardly_add_anything_are_mentioned():
    assert warned("fewer would do as well", ask(workers=60, vcpu_budget=128, batch_size=600))
    assert not warned("fewer would do as well", ask())


def test_a_pool_that_is_replaced_is_mentioned():
    running = planned(ask(workers=6, machine_type="e2-standard-2", worker_cpu=0)).layout.pools
    request = ask(workers=2, machine_type="n1-standard-2", running=running, vcpu_budget=0, worker_cpu=0)
    assert warned("Pool main-e2-standard-2 is replaced by main-n1-standard-2", request)
    assert not warned(
        "is replaced", ask(workers=6, machine_type="e2-standard-2", running=running, worker_cpu=0)
    )


def test_pods_that_get_less_than_the_settings_want_are_mentioned():
    assert warned("Less than the settings want, since the nodes have no more: interface gets 406m and", ask())
    assert not warned("Less than the settings want", ask("gke"))


def test_a_plan_without_anything_to_mind_has_no_warnings():
    plan = planned(ask("gke", offered=frozenset({"n1-standard-4"})), quotas(CPUS=32, CPUS_ALL_REGIONS=32))
    assert plan.warnings == ()
