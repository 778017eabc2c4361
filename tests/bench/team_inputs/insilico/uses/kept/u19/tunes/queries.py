from collections.abc import Iterable
from typing import TypeAlias, Union

from sqlmodel import Session, col, desc, func, select

from .tables import Listed, Playlist, Podcast, Track

Playable: TypeAlias = Union[Track, Podcast]


def longest(db: Session, n: int = 10) -> list[Track]:
    return list(db.exec(select(Track).order_by(desc(Track.duration)).limit(n)))


def between(db: Session, low: int, high: int):
    return db.exec(select(Track).where(col(Track.duration).between(low, high))).all()


def sums(db: Session):
    stmt = (
        select(Playlist.name, func.sum(Track.duration).label("duration"))
        .join(Listed, Listed.playlist_id == Playlist.id)
        .join(Track, Track.id == Listed.track_id)
        .group_by(Playlist.name)
    )
    return {row.name: row.duration for row in db.exec(stmt)}


def seconds(item: Playable) -> float:
    if isinstance(item, Podcast):
        return item.duration.total_seconds()
    return item.duration


def podcasts(db: Session) -> Iterable[Podcast]:
    for podcast in db.exec(select(Podcast)):
        if podcast.duration:
            yield podcast


def names(db: Session) -> list[str]:
    rows = db.exec(select(Track.name, Track.duration))
    return [f"{name} ({duration}s)" for name, duration in rows]


def fix(db: Session, playlist: Playlist) -> None:
    for track in playlist.tracks:
        track.duration = max(1, track.duration)
        db.add(track)
    if playlist.duration == 0:
        db.delete(playlist)
    db.commit()
