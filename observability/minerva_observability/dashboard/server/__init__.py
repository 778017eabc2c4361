"""The dashboard's server: start, access, addresses and live data."""
