"""Pure functions that decide what a cluster looks like and prove that it fits its quotas."""
