from components.kubernetes.network_policy import policies
from components.kubernetes.pod import PART_OF, role_labels

RULES = policies("if", 2222, [8888, 6006])


def picks(pod_selector, labels):
    return pod_selector.get("matchLabels", {}).items() <= labels.items()


def admitting(labels):
    """Ports that the policies open to a pod, with who may use them."""
    return [
        (rule["ports"], source)
        for spec in RULES.values()
        if "Ingress" in spec["policyTypes"] and picks(spec["podSelector"], labels)
        for rule in spec.get("ingress", [])
        for source in rule["from"]
    ]


def test_whatever_is_not_allowed_is_forbidden_for_every_pod_of_the_namespace():
    assert RULES["nothing"] == {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]}


def test_a_server_is_open_to_the_stacks_own_pods_and_on_the_grpc_port_only():
    assert admitting(role_labels("worker")) == [
        ([{"port": 2222, "protocol": "TCP"}], {"podSelector": {"matchLabels": PART_OF}})
    ]


def test_the_interface_is_open_to_its_namespace_only():
    (_, (ports, source)) = admitting(role_labels("if"))
    assert [port["port"] for port in ports] == [8888, 6006]
    assert source == {"podSelector": {}}


def test_pods_reach_each_other_and_the_dns_and_nothing_else():
    (to_own, to_dns) = RULES["own-traffic"]["egress"]
    assert to_own == {"to": [{"podSelector": {"matchLabels": PART_OF}}]}
    assert {port["port"] for port in to_dns["ports"]} == {53}
