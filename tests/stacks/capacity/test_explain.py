from tests.stacks.capacity.asked import LAYOUT_OF_2016, ask, quotas, refused


def only_problem(request, known) -> str:
    (problem,) = refused(request, known).problems
    return problem


def test_the_sum_names_every_pool_and_what_is_around_them():
    problem = only_problem(ask(disk_type="pd-balanced", **LAYOUT_OF_2016), quotas(SSD_TOTAL_GB=(250, 20)))
    assert problem.startswith(
        "SSD_TOTAL_GB: if 1 x 30 + master 1 x 30 + workers 6 x 30 + runs 10 = 250 needed (steady),"
        " 250 allowed, 20 of them in use by others: 20 too many."
    )
    assert problem.endswith("Lower diskGb or choose a diskType of another quota.")


def test_the_budget_says_that_it_is_the_users_own():
    problem = refused(ask(workers=7)).problems[0]
    assert problem.endswith("Raise vcpuBudget if the quota allows it.")


def test_a_quota_that_is_not_known_says_how_to_give_it():
    problem = only_problem(ask(machine_type="t2d-standard-8"), quotas())
    assert problem.startswith(
        "T2D_CPUS: main 1 x 8 = 8 needed (steady), its quota isn't known, which counts as none"
    )
    assert "`--quota T2D_CPUS=LIMIT`" in problem


def test_each_network_quota_has_its_own_way_out():
    for metric, way_out in {
        "NETWORKS": "Delete an unused VPC network.",
        "ROUTERS": "Delete an unused Cloud Router.",
        "STATIC_ADDRESSES": "Release a reserved address.",
        "IN_USE_ADDRESSES": "Release an external address that is in use.",
    }.items():
        problem = only_problem(ask(), quotas(**{metric: (5, 5)}))
        assert problem.startswith(
            f"{metric}: network 1 = 1 needed (steady), 5 allowed, 5 of them in use by others"
        )
        assert problem.endswith(way_out)
