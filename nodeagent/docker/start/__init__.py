"""Starting one container: mounts, users, the start barrier."""
