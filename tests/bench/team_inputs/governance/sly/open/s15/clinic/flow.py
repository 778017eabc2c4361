import logging

from clinic.models import Episode

LOG = logging.getLogger(__name__)


def close(episode: Episode, store) -> None:
    store.close(episode.ref)
    LOG.debug("closed %r", episode)
