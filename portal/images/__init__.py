"""Images that people save or build: how they are kept, scanned and brought to nodes; logins of registries."""
