"""Runs the core on the database; `portal.workloads` loads the snapshots and commits the plans (ADR 26)."""
