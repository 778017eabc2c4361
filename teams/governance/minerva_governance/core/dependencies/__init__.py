"""The libraries that the code under review names: read from manifests, with their licences."""
