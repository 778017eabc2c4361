"""One module a page: the question that it asks, and how it shows the answer."""
