"""Storage: the database of runs, checkpoints, threads and artifacts."""
