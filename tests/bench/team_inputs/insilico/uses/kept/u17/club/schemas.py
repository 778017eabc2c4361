from marshmallow import Schema, fields
from marshmallow_sqlalchemy import SQLAlchemyAutoSchema, auto_field

from .models import Contact, Member


class MemberSchema(SQLAlchemyAutoSchema):
    class Meta:
        model = Member
        fields = ("id", "name", "email")

    email = auto_field(required=True)


class ContactSchema(SQLAlchemyAutoSchema):
    class Meta:
        model = Contact
        exclude = ("email",)


class LoginSchema(Schema):
    email = fields.Email(required=True)
