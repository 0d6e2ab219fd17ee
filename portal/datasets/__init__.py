"""Shared read-only data sets, by name."""
