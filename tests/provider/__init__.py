"""Tests of the provider."""
