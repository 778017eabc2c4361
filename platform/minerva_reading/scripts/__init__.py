"""Scripts of SQL, parsed: what their statements declare, change and insert."""
