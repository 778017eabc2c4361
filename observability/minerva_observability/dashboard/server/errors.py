"""What can be wrong with a dashboard before it shows anything."""


class DashboardError(Exception):
    """It cannot be started as asked; the message says what to do instead."""
