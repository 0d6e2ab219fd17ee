"""The machines as people see them: free capacity now, and who holds which card.

A read-only view over inventory and workloads; it owns no table.
"""
