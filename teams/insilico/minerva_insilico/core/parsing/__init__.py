"""Source files become facts, in processes that may be killed."""
