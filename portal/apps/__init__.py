"""Web apps that administrators offer, and people start on a folder."""
