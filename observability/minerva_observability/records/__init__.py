"""The rows of `runs.jsonl`: written, read, followed."""
