from flask_wtf import FlaskForm
from wtforms import EmailField, StringField
from wtforms.validators import DataRequired, Email, ValidationError

from .models import Member


class MemberForm(FlaskForm):
    name = StringField(validators=[DataRequired()])
    email = EmailField(validators=[Email()])

    def validate_email(self, field):
        if Member.query.filter_by(email=field.data).count():
            raise ValidationError("taken")


class ContactForm(FlaskForm):
    email = StringField()
    phone = StringField()
