"""What a rule may ask, one module a predicate."""
