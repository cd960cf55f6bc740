"""The network, with and without external addresses of the nodes."""

from ipaddress import ip_network
from itertools import combinations

import pytest

from components.gcp.cluster import MAX_PODS_PER_NODE
from components.gcp.network import NODE_RANGE, POD_RANGE, SERVICE_RANGE, Network, NetworkArgs
from tests.components.gcp.computed import google_recorder
from tests.components.mocks import declared


def network(private_nodes=True):
    args = NetworkArgs(name="tf", region="us-central1", description="of a stack", private_nodes=private_nodes)
    return declared(lambda: Network("network", args), google_recorder())


def test_private_nodes_go_out_through_nat():
    nat = network().inputs_of("network-nat")
    assert nat["natIpAllocateOption"] == "AUTO_ONLY"
    assert nat["sourceSubnetworkIpRangesToNat"] == "ALL_SUBNETWORKS_ALL_IP_RANGES"


def test_nodes_with_addresses_of_their_own_need_no_router():
    names = {name for _, name in network(private_nodes=False).inventory()}
    assert names == {"network", "network-vpc", "network-subnet"}


@pytest.mark.parametrize("private_nodes", [True, False])
def test_googles_services_are_reached_without_an_external_address(private_nodes):
    assert network(private_nodes).inputs_of("network-subnet")["privateIpGoogleAccess"] is True


def test_nothing_is_opened_to_the_outside():
    assert not [kind for kind, _ in network().inventory() if "irewall" in kind]


def test_a_thousand_nodes_have_room():
    nodes, pods, services = (ip_network(one) for one in (NODE_RANGE, POD_RANGE, SERVICE_RANGE))
    assert nodes.num_addresses >= 1004
    pods_a_node = 256  # GKE gives a node a /24 for up to 110 pods
    assert MAX_PODS_PER_NODE <= 110
    assert pods.num_addresses // pods_a_node >= 1000
    assert not any(one.overlaps(other) for one, other in combinations((nodes, pods, services), 2))
