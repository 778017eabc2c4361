import pytest

from worker.job import Job, Message, RetryJob
from worker.queue import JobQueue, rank
from worker.run import bump, high, loud, make


def test_job():
    assert high("a").priority == 9
    assert loud("a").priority == "high"
    assert make("a", priority=7).priority == 7
    assert bump(Job("a")).priority == 2
    assert rank(Job("b", priority=2)) == 20


@pytest.mark.parametrize("priority", [0, 10])
def test_bad(priority):
    with pytest.raises(ValueError):
        Job("x", priority=priority)


def test_mail():
    assert Message("x").header()["X-Priority"] == "normal"
