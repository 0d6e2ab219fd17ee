"""The core on a virtual clock: stories, and the platform's own past under changed rules."""
