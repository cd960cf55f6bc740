from stacks.capacity.system_pods import GROWTH, cluster_pods, node_pod


def count(pods, name: str) -> int:
    return sum(pod.name == name for pod in pods)


def test_every_node_carries_dataplane_v2_and_the_logging_agent_by_setting():
    with_logging, without = node_pod(has_logging=True), node_pod(has_logging=False)
    assert with_logging.cpu_millicores == 500
    assert with_logging.cpu_millicores - without.cpu_millicores == 116
    assert with_logging.memory_mib - without.memory_mib == 254


def test_kube_dns_has_one_pod_on_one_node_two_from_two_nodes_and_grows():
    assert count(cluster_pods(1, 8), "kube-dns") == 1
    assert count(cluster_pods(2, 8), "kube-dns") == 2
    assert count(cluster_pods(33, 66), "kube-dns") == 3
    assert count(cluster_pods(20, 1024), "kube-dns") == 4
    assert count(cluster_pods(1000, 1000), "kube-dns") == 63


def test_requests_have_room_to_grow():
    assert GROWTH >= 1.1
    single = cluster_pods(1, 8)
    assert sum(pod.cpu_millicores for pod in single) >= (260 + 44 + 20 + 10 + 3 + 15) * GROWTH


def test_an_entry_that_stands_for_several_agents_asks_for_all_of_them():
    agents = [pod for pod in cluster_pods(1000, 1000) if pod.name == "konnectivity-agent"]
    assert sum(pod.cpu_millicores for pod in agents) >= 1000 * 15 * GROWTH
    assert len(agents) < 100


def test_the_largest_come_first():
    cpus = [pod.cpu_millicores for pod in cluster_pods(8, 8)]
    assert cpus == sorted(cpus, reverse=True)
