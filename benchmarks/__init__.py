"""A scale model of the cluster on one machine: every task held to the same fraction of a core."""
