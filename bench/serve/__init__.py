"""The inference gateway beside nginx and HAProxy, in front of back ends with a name."""
