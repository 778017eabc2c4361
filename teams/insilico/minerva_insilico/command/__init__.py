"""Commands that the insilico team adds to `minerva`; each is imported when it is typed."""
