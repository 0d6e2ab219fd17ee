"""Take each safeguard away in turn, and see that a test turns red."""
