"""A module for each number of the schema; one that was released is never changed."""
