"""The insilico team: what is in a code base, who uses a field, what is undocumented."""
