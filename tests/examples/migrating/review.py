"""The second team: it audits columns, whoever made them."""

from audit_worker import Audit

from minerva_platform import Team


class Review(Team):
    name = "review"
    description = "Checks columns against the standard."
    members = (Audit,)
