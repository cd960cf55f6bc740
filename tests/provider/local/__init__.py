"""Tests of the local target's resources."""
