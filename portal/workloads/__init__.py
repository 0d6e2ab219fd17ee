"""Workloads from submission to end: the one writer of their state, snapshots and answers."""
