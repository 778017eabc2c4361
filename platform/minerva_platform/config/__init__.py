"""What the configuration says: teams, limits, routers and models, read and checked."""
