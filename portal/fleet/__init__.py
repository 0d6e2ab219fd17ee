"""Pools, nodes and cards as people see them: free capacity, holders, queues, health. Owns no table."""
