"""A provider with one small resource, to see the framework through the real engine."""
