"""What an author of a team writes, and the values that cross borders."""
