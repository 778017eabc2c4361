"""The contract: the classes that an author writes, and the values that cross borders."""
