"""Sharing modes, one file each: cgroup limits, HAMi-core, MIG, MPS, time slicing."""
