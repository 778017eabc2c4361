"""Members that run in the background: their runs, and what they ask and answer."""
