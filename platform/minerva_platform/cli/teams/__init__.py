"""Commands about teams: list, check, draw and make them."""
