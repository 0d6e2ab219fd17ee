"""Nobody is sent again what they have, or writes over what they have not read."""
