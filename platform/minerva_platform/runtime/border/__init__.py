"""The border of a member: what goes in, what comes out, and nothing else."""
