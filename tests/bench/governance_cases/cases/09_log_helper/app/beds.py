import logging

log = logging.getLogger(__name__)


def free_beds(total: int, taken: int) -> int:
    left = total - taken
    log.info("beds free: %d of %d", left, total)
    return left


def rename_ward(ward_name: str, new_name: str) -> str:
    log.info("ward %s is now %s", ward_name, new_name)
    return new_name
