"""The queue: background runs as the ledger keeps them, and the processes that take them."""
