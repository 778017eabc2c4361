"""Shop floor of a made-up factory."""
