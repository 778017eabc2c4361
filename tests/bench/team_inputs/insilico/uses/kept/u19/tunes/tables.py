from __future__ import annotations

from datetime import timedelta
from typing import ClassVar, List, Optional

from sqlalchemy import Column, Interval, UniqueConstraint
from sqlmodel import Field, Relationship, SQLModel


class Listed(SQLModel, table=True):
    playlist_id: Optional[int] = Field(default=None, foreign_key="playlist.id", primary_key=True)
    track_id: Optional[int] = Field(default=None, foreign_key="track.id", primary_key=True)
    position: int = 0


class Track(SQLModel, table=True):
    __table_args__ = (UniqueConstraint("name", "duration"),)

    id: Optional[int] = Field(default=None, primary_key=True)
    name: str
    duration: int = Field(gt=0, description="seconds")
    playlists: List["Playlist"] = Relationship(back_populates="tracks", link_model=Listed)

    def minutes(self) -> str:
        return f"{self.duration // 60}:{self.duration % 60:02}"


class Playlist(SQLModel, table=True):
    longest: ClassVar[int] = 3600

    id: Optional[int] = Field(default=None, primary_key=True)
    name: str
    tracks: List[Track] = Relationship(
        back_populates="playlists",
        link_model=Listed,
        sa_relationship_kwargs=dict(order_by="desc(Track.duration)"),
    )

    @property
    def duration(self) -> int:
        return sum(track.duration for track in self.tracks)

    def too_long(self) -> bool:
        return self.duration > self.longest


class Podcast(SQLModel, table=True):
    id: Optional[int] = Field(default=None, primary_key=True)
    duration: timedelta = Field(sa_column=Column(Interval))

    @property
    def hours(self) -> float:
        return self.duration.total_seconds() / 3600


class TrackRead(SQLModel):
    id: int
    name: str
    duration: int


class PlaylistRead(SQLModel):
    name: str
    duration: int
