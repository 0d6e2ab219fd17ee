"""Groups, memberships, robots, and the policies that decide who may do what."""
