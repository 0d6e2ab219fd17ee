"""The agent's own files: container directories, leases, state, start barriers, stop notices."""
