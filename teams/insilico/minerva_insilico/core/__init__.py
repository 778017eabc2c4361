"""The insilico team's algorithms: standard library and sqlglot, no framework."""
