"""Users, sign-in, API tokens and SSH keys."""
