"""The agent's decisions as pure functions: heartbeats, leases, starts, stops, lost cards."""
