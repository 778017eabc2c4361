"""Lists of the libraries that a project uses."""
