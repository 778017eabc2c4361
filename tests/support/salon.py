"""The sources of a small Django application: abstract bases, several modules, sinks with hosts."""

from typing import Final

SALON: Final = {
    "salon/__init__.py": "",
    "salon/settings.py": (
        'CARD_URL = "https://token:1@cards.example.net/charge"\n'
        'DEFAULT_FROM_EMAIL = "noreply@salon.example"\n'
    ),
    "salon/people/__init__.py": "",
    "salon/people/bases.py": """\
from django.db import models
from django.utils.translation import gettext_lazy as _


class Contact(models.Model):
    # Who can be reached.

    first_name = models.CharField(_("First name"), max_length=40)
    email = models.EmailField(_("E-mail"), unique=True, help_text=_("where bills go"))
    phone_number = models.CharField(max_length=20, blank=True, null=True)

    class Meta:
        abstract = True


class BirthMixin:
    note = "not a model itself"
""",
    "salon/people/fields.py": """\
from django.db import models


class EncryptedCharField(models.CharField):
    is_cipher = True
""",
    "salon/people/models.py": """\
from django.db import models

from salon.people.bases import Contact
from salon.people.fields import EncryptedCharField


class Guest(Contact):
    resident_number = EncryptedCharField("주민등록번호", max_length=256)
    birth_date = models.DateField(db_column="BRDT", null=True)

    class Meta:
        db_table = "tb_guest"


class Stylist(Contact):
    manager = models.OneToOneField("self", null=True, on_delete=models.SET_NULL)


class Visit(models.Model):
    guest = models.ForeignKey(Guest, on_delete=models.CASCADE)
    starts_at = models.DateTimeField()
""",
    "salon/people/forms.py": """\
from django import forms

from salon.people.models import Guest


class GuestForm(forms.ModelForm):
    email = forms.EmailField()
    nickname = forms.CharField()

    class Meta:
        model = Guest
        fields = ["email"]
""",
    "salon/desk/__init__.py": "",
    "salon/desk/audit.py": """\
import logging

trail = logging.getLogger("audit")


def note(what, value):
    trail.info("%s: %s", what, value)
""",
    "salon/desk/views.py": """\
import requests
from django.conf import settings
from django.http import JsonResponse
from django.shortcuts import get_object_or_404

from salon.desk.audit import note
from salon.people.models import Guest


def charge(request, pk):
    guest = get_object_or_404(Guest, pk=pk)
    note("charged", guest.email)
    answer = requests.post(settings.CARD_URL, json={"who": guest.first_name})
    return JsonResponse({"phone": mask(guest.phone_number), "ok": answer.ok})


def letter(request, pk):
    guest = Guest.objects.get(pk=pk)
    with open("letters.txt", "a") as out:
        out.write(f"Dear {guest.first_name}")
    print(guest)
    return JsonResponse({"born": str(guest.birth_date)})
""",
}
"""Path and text of each file. `mask` is somebody's; nothing of it is run."""
