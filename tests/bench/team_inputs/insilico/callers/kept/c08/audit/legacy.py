from audit.old import traced


@traced
def old() -> None:
    pass
