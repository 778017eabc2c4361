"""LangGraph's checkpoints in the database of the ledger, on SQLite and Postgres alike."""
