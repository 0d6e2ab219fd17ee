"""What the applications of the live process, which are not Django views, have in common."""
