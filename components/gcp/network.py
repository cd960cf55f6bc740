"""The network of a cluster: its own, with room for a thousand nodes, and a way out for private ones."""

from dataclasses import dataclass

import pulumi
import pulumi_gcp as gcp

NODE_RANGE, POD_RANGE, SERVICE_RANGE = "10.0.0.0/20", "10.4.0.0/14", "10.8.0.0/20"
"""4092 nodes; 1024 nodes' pods at GKE's /24 a node; 4096 services."""

PODS, SERVICES = "pods", "services"
"""Names of the secondary ranges, by which the cluster refers to them."""


@dataclass(frozen=True, kw_only=True)
class NetworkArgs:
    """What the network is like.

    Attributes:
        name: Name of network, subnet, router and NAT.
        region: Region of the subnet.
        description: Stands in the place of labels, which networks cannot carry.
        private_nodes: Whether nodes have no external address; they go out through Cloud NAT then.
    """

    name: str
    region: str
    description: pulumi.Input[str]
    private_nodes: bool


class Network(pulumi.ComponentResource):
    """A network with one subnet, whose nodes reach Google's own services without an external address.

    Creates network and subnet, and for private nodes a router with NAT. It opens nothing to the outside.
    """

    network: pulumi.Output[str]
    """Id of the network."""

    subnetwork: pulumi.Output[str]
    """Id of the subnet, once the way out is there too."""

    def __init__(self, name: str, args: NetworkArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("tfcluster:index:GoogleNetwork", name, {}, opts)
        child = pulumi.ResourceOptions(parent=self)
        network = gcp.compute.Network(
            f"{name}-vpc",
            name=args.name,
            description=args.description,
            auto_create_subnetworks=False,
            delete_default_routes_on_create=False,
            routing_mode="REGIONAL",
            opts=child,
        )
        subnetwork = gcp.compute.Subnetwork(
            f"{name}-subnet",
            name=args.name,
            description=args.description,
            network=network.id,
            region=args.region,
            ip_cidr_range=NODE_RANGE,
            secondary_ip_ranges=[
                {"range_name": PODS, "ip_cidr_range": POD_RANGE},
                {"range_name": SERVICES, "ip_cidr_range": SERVICE_RANGE},
            ],
            private_ip_google_access=True,
            opts=child,
        )
        self.network = network.id
        self.subnetwork = subnetwork.id
        if args.private_nodes:
            router = gcp.compute.Router(
                f"{name}-router",
                name=args.name,
                description=args.description,
                network=network.id,
                region=args.region,
                opts=child,
            )
            nat = gcp.compute.RouterNat(
                f"{name}-nat",
                name=args.name,
                router=router.name,
                region=args.region,
                nat_ip_allocate_option="AUTO_ONLY",
                source_subnetwork_ip_ranges_to_nat="ALL_SUBNETWORKS_ALL_IP_RANGES",
                log_config={"enable": False, "filter": "ALL"},
                opts=child,
            )
            # nodes that come up before they can go out fail to register
            self.subnetwork = pulumi.Output.all(subnetwork.id, nat.id).apply(lambda ids: ids[0])
        self.register_outputs({"network": self.network, "subnetwork": self.subnetwork})
