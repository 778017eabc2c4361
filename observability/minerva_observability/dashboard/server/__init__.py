"""The dashboard's server: start-up, access, addresses and live data."""
