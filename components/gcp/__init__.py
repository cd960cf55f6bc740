"""Components that create Google Cloud resources: network, cluster, node pools, images."""
