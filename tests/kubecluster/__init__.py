"""A real Kubernetes cluster of several nodes on one Linux machine, for tests; see the README beside this.

It owns bringing the cluster up and taking it down. What the tests put into it is theirs.
"""
