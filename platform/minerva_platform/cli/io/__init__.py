"""Streams, terminals, processes and exit codes of every command."""
