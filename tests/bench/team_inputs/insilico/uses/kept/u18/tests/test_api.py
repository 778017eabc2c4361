from .factories import AgentFactory, ListingFactory


def test_local(db):
    listing = ListingFactory(agent__city="Bonn")
    assert listing.city == listing.agent.city == "Bonn"
    assert not ListingFactory(city="Ulm").is_local()


def test_filter(db, client):
    ListingFactory.create_batch(3, city="Ulm")
    answer = client.get("/listings/?city=Ulm").json()
    assert {row["place"] for row in answer} == {"Ulm"}
    assert client.get("/agents/", {"city": "Ulm"}).json() == []
