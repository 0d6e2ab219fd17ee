"""The server's end of the node protocol: enrolment, heartbeats, desired states, logs."""
