"""Work of the demo that never ran: how it is written in bulk, and how it is removed."""
