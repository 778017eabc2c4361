"""The commands that the team brings: `minerva glossary` and `minerva standardise`."""
