"""What is kept: the database of runs, checkpoints, threads and artifacts."""
