"""REST endpoints of pools, nodes, queues and of the platform's health."""
