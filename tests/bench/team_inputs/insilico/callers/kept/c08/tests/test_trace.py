import audit.trace
from audit import traced


def test_traced():
    @traced
    def f():
        return 1

    assert f() == 1
    assert audit.trace.traced(max)(1, 2) == 2
