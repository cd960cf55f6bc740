"""The TensorFlow cluster's Pulumi components, one folder a target; they know nothing of `stacks` or `training`."""
