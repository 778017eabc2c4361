"""What the workers share: steps of their graphs, and what these take."""
