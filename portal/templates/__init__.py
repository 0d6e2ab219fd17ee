"""Templates: named settings of a user, a group or the platform, from which work is submitted."""
