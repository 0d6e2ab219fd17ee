"""Pools, nodes and cards as they are stored, and the policies of pools."""
