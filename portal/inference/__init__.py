"""The inference gateway: takes requests to services with a key and relays them to their replicas."""
