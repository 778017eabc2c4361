import pytest

from desk import create_app
from desk.ext import db
from desk.models import Agent, Ticket


@pytest.fixture
def client():
    app = create_app()
    with app.app_context():
        db.create_all()
        agent = Agent(name="Kim", status="free")
        db.session.add(Ticket(title="t", status="open", agent=agent))
        db.session.commit()
        yield app.test_client()


def test_one(client):
    answer = client.get("/tickets/1")
    assert answer.status == "200 OK"
    assert answer.json["status"] == "open"
    assert answer.json["agent"]["status"] == "free"


def test_form():
    assert Ticket.from_form({"title": "x", "status": "new"}).is_open
