"""Pure functions that derive what comes next from goals and contracts."""
