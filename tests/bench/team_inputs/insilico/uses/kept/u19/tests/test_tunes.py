from fastapi.testclient import TestClient

from tunes.app import app
from tunes.importer.id3 import Tag
from tunes.tables import Playlist, Track

client = TestClient(app)


def test_post():
    body = client.post("/tracks", json={"name": "x", "duration": 90}).json()
    assert body["duration"] == 90


def test_playlist():
    both = [Track(name="a", duration=60), Track(name="b", duration=61)]
    assert Playlist(name="p", tracks=both).duration == 121
    assert both[1].minutes() == "1:01"
    assert Tag("t", 2.4).track().duration == 2
