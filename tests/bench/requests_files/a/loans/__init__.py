"""A made-up savings bank's loan desk."""
