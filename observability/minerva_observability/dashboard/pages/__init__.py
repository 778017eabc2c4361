"""One module a page: what it asks, and how it shows the answer."""
