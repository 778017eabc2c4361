"""How the team's findings read, in Korean and English."""
