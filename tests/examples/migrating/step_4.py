"""Hand-offs: each worker does one thing; who runs before whom follows from what they declare."""

from asked import show
from audit_worker import Audit
from naming_workers import Columns, Names

from minerva_platform import Team


class Standard(Team):
    name = "standard"
    description = "Finds standard names, makes columns of them, and audits columns."
    members = (Names, Columns, Audit)


team = Standard()


def ask(request: str) -> str:
    return team.ask(request).answer


if __name__ == "__main__":
    show(ask)
