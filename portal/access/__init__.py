"""Access to running containers: terminals, SSH and ports, through the nodes' own connections."""
