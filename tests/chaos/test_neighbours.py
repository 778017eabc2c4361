"""One run that ends its process, among forty that do not, over `minerva serve`."""

from contextlib import ExitStack
from pathlib import Path

import pytest
from ledger import Store
from neighbours import body_of, configured, served

from minerva_platform.storage.engine.location import PostgresPlace

INNOCENT = 40
AT = 5
"""The place of the poison among them."""


@pytest.mark.parametrize("count", [1, 2])
def test_a_poison_run_fails_alone(store: Store, tmp_path: Path, count: int) -> None:
    """On one server and on two each innocent run is `ok`; the poison one says why it has failed."""
    configs = configured(tmp_path, "queue: {lease_seconds: 2}\n")
    url = store.address if isinstance(store.place, PostgresPlace) else ""
    home = tmp_path if url else Path(store.address).parent
    variables = {"MINERVA_STORAGE_URL": url} if url else {}
    with ExitStack() as stack:
        servers = [stack.enter_context(served(configs, home, **variables)) for _ in range(count)]
        words = [f"answer {number}" for number in range(INNOCENT)]
        words.insert(AT, "poison")
        its: dict[str, str] = {}
        for number, each in enumerate(words):
            client = servers[number % count].client
            run = client.post("/runs", json=body_of(each)).raise_for_status().json()
            its[each] = f"/threads/{run['thread_id']}/runs/{run['run_id']}/join"
        ends = {each: servers[0].client.get(address).json() for each, address in its.items()}
    poison = ends.pop("poison")
    failed = [each for each, end in ends.items() if end["status"] != "ok"]

    assert failed == []
    assert poison["status"] == "failed"
    assert "its process ended, 10 times in a row" in poison["__error__"]["message"]
