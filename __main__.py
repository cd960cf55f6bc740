"""The Pulumi program: a TensorFlow cluster and one training run on the target that the settings name."""

import pulumi

from stacks import settings as stack_settings
from stacks.targets import declare

for name, value in declare(stack_settings.load()).items():
    pulumi.export(name, value)
