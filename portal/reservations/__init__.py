"""Advance reservations: GPUs that a group has from one time to another."""
