"""What the team says, in Korean and in English."""
