"""Cut a compound request into clauses, and find the subject words of each."""
