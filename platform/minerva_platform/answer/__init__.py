"""How an answer is put together, explained and checked."""
