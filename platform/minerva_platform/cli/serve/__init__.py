"""The commands of the server: serve, and the tokens that open it."""
