import pytest

from provider.kubernetes.quantities import cpu_millicores, memory_mib, number, requests


@pytest.mark.parametrize(
    ("cpu", "millicores"), [("1", 1000), ("250m", 250), ("0.1", 100), ("1500000n", 2), ("2e0", 2000)]
)
def test_cpu_is_counted_in_thousandths_of_a_core(cpu, millicores):
    assert cpu_millicores({"cpu": cpu}) == millicores


@pytest.mark.parametrize(("memory", "mib"), [("1Gi", 1024), ("512Mi", 512), ("1G", 954), ("1048577", 2)])
def test_memory_is_counted_in_mib_rounded_up(memory, mib):
    assert memory_mib({"memory": memory}) == mib


def test_what_is_no_quantity_is_refused():
    with pytest.raises(ValueError, match="'lots' is no quantity"):
        number("lots")


def test_init_containers_count_where_one_is_larger_than_all_others_together():
    def asking(cpu):
        return {"resources": {"requests": {"cpu": cpu}}}

    pod = {"spec": {"containers": [asking("100m"), {}], "initContainers": [asking("50m"), asking("300m")]}}
    assert requests(pod) == (300, 0)
