"""One value by itself: how it is written, its check digits, and whose number plan it follows."""
