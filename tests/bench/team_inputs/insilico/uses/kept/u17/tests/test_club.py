from club.models import Contact, Member
from club.schemas import MemberSchema


def test_repr():
    assert repr(Member(name="A", email="a@b.c")) == "<Member a@b.c>"


def test_contact():
    member = Member(name="A")
    member.update(email="x@y.z")
    contact = Contact(email="x@y.z", member=member)
    assert not contact.differs()
    assert contact.member.email == "x@y.z"
    assert MemberSchema().dump(member)["email"] == "x@y.z"
