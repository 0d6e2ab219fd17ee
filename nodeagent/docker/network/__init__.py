"""Networks of containers: egress rules, and networks of gangs."""
