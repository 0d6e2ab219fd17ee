"""Ways into running containers: terminals, SSH and ports, all through the nodes' own connections."""
