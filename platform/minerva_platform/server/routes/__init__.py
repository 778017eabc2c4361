"""The routes of the server: assistants, threads, runs, approvals, files, health."""
