"""The one engine of a process for each database that runs are kept in: SQLite or Postgres."""
