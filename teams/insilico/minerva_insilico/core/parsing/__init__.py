"""Source files are parsed in processes that may be killed."""
