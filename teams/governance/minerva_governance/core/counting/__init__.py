"""What is counted over all rows of a table: classes of equal rows, and how old rows are."""
