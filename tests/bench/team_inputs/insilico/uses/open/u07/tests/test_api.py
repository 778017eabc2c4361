from fastapi.testclient import TestClient

from game.main import app

client = TestClient(app)


def test_create():
    made = client.post("/heroes", json={"name": "D", "level": 4, "secret": "s"}).json()
    assert made["level"] == 4


def test_teams():
    for team in client.get("/teams").json():
        assert team["level"] >= 1
