"""What watches and serves runs: their events, the threads and runs of a tenant, tokens."""
