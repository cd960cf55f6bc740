"""The `tfcluster` command."""
