"""SSH into running containers: one port, keys from the profile, everything through the nodes' links."""
