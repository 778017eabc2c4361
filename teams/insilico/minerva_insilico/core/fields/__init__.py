"""Uses of a model's field."""
