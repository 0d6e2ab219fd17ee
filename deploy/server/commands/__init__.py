"""What each command does, apart by what it needs to be installed."""
