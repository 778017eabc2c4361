"""The algorithms of the team, usable without any agent framework."""
