"""The allow-list of images."""
