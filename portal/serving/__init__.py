"""Services: servers of models with an address, replicas that come and go, and a promised quality."""
