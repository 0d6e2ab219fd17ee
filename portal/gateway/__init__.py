"""Reverse proxies of the live process: to notebooks on the apps origin, and to the web process."""
