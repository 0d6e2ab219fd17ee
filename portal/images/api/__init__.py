"""REST endpoints of saved images, their builds, scans, copies on nodes and retention."""
