from unittest.mock import patch

from store.cache import Cache, Config, NetCache


def make(tmp_path) -> Cache:
    (tmp_path / "c").write_text("{}")
    return Cache(tmp_path / "c")


def test_load(tmp_path):
    assert make(tmp_path).load().data == {}
    made = make(tmp_path)
    made.load()
    assert Config().load() == {}


def test_patch(tmp_path):
    with patch.object(Cache, "load") as fake:
        Cache(tmp_path, lazy=False)
    fake.assert_called_once()
