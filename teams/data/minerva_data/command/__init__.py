"""Commands that the data team adds to `minerva`; each is imported when it is typed."""
