"""Teams put together: found, made to fit each other, and assembled, or left out with a reason."""
