"""The scale model of the cluster on one machine, and what is measured on it."""
