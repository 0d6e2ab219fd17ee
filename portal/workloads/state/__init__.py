"""Every write of workload and allocation states: transitions, commits of placements, reports of nodes."""
