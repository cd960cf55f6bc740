"""Components of the `kubernetes` target, reused unchanged by the GKE stacks."""
