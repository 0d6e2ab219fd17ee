"""`berth-server`: installs an installation, checks it, backs it up, brings it up to date."""
