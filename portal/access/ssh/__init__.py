"""SSH into running containers: one port for all, public keys only."""
