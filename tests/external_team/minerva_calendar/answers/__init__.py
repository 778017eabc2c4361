"""What the team says, in Korean and English: the files in `texts`."""
