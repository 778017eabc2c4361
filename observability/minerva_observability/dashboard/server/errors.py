"""The error that keeps a dashboard from starting."""


class DashboardError(Exception):
    """The dashboard cannot start as asked. The message says what to do instead."""
