"""The TensorFlow cluster as Pulumi components, one folder a target; none knows `stacks` or `training`."""
