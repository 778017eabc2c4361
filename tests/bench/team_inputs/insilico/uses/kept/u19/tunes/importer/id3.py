import json
import time
from dataclasses import dataclass
from pathlib import Path

from tunes.tables import Track


@dataclass
class Tag:
    name: str
    duration: float

    def track(self) -> Track:
        return Track(name=self.name, duration=round(self.duration))


@dataclass
class Timer:
    started: float = 0.0
    duration: float = 0.0

    def __enter__(self):
        self.started = time.monotonic()
        return self

    def __exit__(self, *exc):
        self.duration = time.monotonic() - self.started


def scan(folder: Path) -> list[Track]:
    with Timer() as timer:
        tags = [Tag(**json.loads(p.read_text())) for p in folder.glob("*.json")]
        tracks = [tag.track() for tag in tags if tag.duration > 1]
    print(f"{len(tracks)} in {timer.duration:.1f}s, {sum(t.duration for t in tracks)}s of music")
    return tracks


def from_row(row: dict) -> Track:
    return Track.model_validate({"name": row["title"], "duration": int(row["ms"]) // 1000})
