"""REST endpoints of images."""
