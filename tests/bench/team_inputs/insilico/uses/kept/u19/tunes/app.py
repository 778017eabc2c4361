from fastapi import Depends, FastAPI
from sqlmodel import Session

from .db import engine
from .queries import longest, sums
from .tables import Playlist, PlaylistRead, Track, TrackRead

app = FastAPI()


def get_session():
    with Session(engine) as db:
        yield db


@app.get("/tracks", response_model=list[TrackRead])
def tracks(db: Session = Depends(get_session)):
    return longest(db)


@app.post("/tracks", response_model=TrackRead)
def add(track: Track, db: Session = Depends(get_session)):
    if track.duration > 7200:
        track.name += " (long)"
    db.add(track)
    db.commit()
    return track


@app.get("/playlists/{pk}", response_model=PlaylistRead)
def playlist(pk: int, db: Session = Depends(get_session)):
    found = db.get(Playlist, pk)
    return {"name": found.name, "duration": found.duration}


@app.get("/sums")
def all_sums(db: Session = Depends(get_session)):
    return sums(db)
