"""Care of the store: what is removed, examined, mended and copied."""
