"""A review: rules applied to what was attached."""
