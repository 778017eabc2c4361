"""What people look at in a terminal: answers, hops and figures."""
