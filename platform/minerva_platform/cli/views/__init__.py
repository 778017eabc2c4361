"""Views for a terminal: answers, hops and figures."""
