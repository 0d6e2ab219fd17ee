"""A machine on which time goes faster, for every program that runs on it."""
