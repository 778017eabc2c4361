import pytest

from mail.send import Mailer, TestMailer
from mail.sms import Sms


@pytest.fixture
def mailer() -> TestMailer:
    return TestMailer()


async def test_send(mailer: TestMailer):
    assert await mailer.send("a", "b") is False
    Sms("2").send("x")


async def test_real(monkeypatch):
    real = Mailer("localhost")
    assert await real.send("a", "b")
    monkeypatch.setattr(Mailer, "send", None)
