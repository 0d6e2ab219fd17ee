"""Pictures of every page, to leaf through and for the documents."""
