"""Views and background tasks of the shop's customer care (Django, Celery)."""
import csv
import hmac
import logging
from decimal import Decimal
from hashlib import sha256

import requests
import structlog
from celery import shared_task
from django.conf import settings
from django.db import models
from django.http import HttpRequest, JsonResponse
from django.shortcuts import get_object_or_404
from django.views import View
from django.views.decorators.http import require_POST

log = logging.getLogger(__name__)
slog = structlog.get_logger()

RISK_URL = "https://score.riskdesk.example.org/api/check"


class Customer(models.Model):
    surname = models.CharField("성", max_length=40)
    email = models.EmailField(unique=True)
    phone = models.CharField(max_length=20, blank=True)
    resident_number = models.CharField(max_length=256)
    loyalty_level = models.PositiveSmallIntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-created_at"]


class Ticket(models.Model):
    OPEN, CLOSED = "open", "closed"
    customer = models.ForeignKey(Customer, on_delete=models.PROTECT)
    state = models.CharField(max_length=8, default=OPEN)
    subject = models.CharField(max_length=200)
    refund = models.DecimalField(max_digits=10, decimal_places=2, default=Decimal("0"))


class PhoneRejected(Exception):
    pass


def strip_marks(value):
    return value.replace("-", "").replace(" ", "")


def last_two(value):
    return "*" * (len(value) - 2) + value[-2:]


class TicketView(View):
    def get(self, request: HttpRequest, pk: int) -> JsonResponse:
        ticket = get_object_or_404(Ticket.objects.select_related("customer"), pk=pk)
        customer = ticket.customer
        log.info("ticket %s opened by %s", ticket.pk, customer.email)
        return JsonResponse({"id": ticket.pk, "state": ticket.state, "subject": ticket.subject})

    def post(self, request: HttpRequest, pk: int) -> JsonResponse:
        ticket = get_object_or_404(Ticket, pk=pk)
        who = ticket.customer.surname
        greeting = who.title()
        log.info("closing for " + greeting)
        ticket.state = Ticket.CLOSED
        ticket.save(update_fields=["state"])
        print(f"closed: {ticket.customer.phone}")
        return JsonResponse({"state": ticket.state})


@require_POST
def merge(request: HttpRequest) -> JsonResponse:
    keep = get_object_or_404(Customer, pk=request.POST["keep"])
    drop = get_object_or_404(Customer, pk=request.POST["drop"])
    log.warning("merged", extra={"kept": keep.pk, "rrn": drop.resident_number})
    log.debug("record to be dropped: %s", vars(drop))
    Ticket.objects.filter(customer=drop).update(customer=keep)
    drop.delete()
    return JsonResponse({"kept": keep.pk})


@shared_task(bind=True, max_retries=3)
def score(self, customer_id: int) -> str:
    customer = Customer.objects.get(pk=customer_id)
    body = {"ref": customer.pk, "ssn": customer.resident_number}
    answer = requests.post(RISK_URL, json=body, timeout=8)
    slog.info("scored", band=answer.json().get("band"), phone=customer.phone)
    return answer.json().get("band", "?")


@shared_task
def nightly_export(level: int) -> int:
    path = settings.BASE_DIR / "out" / f"level-{level}.csv"
    count = 0
    with open(path, "w", newline="", encoding="utf-8") as handle:
        writer = csv.writer(handle)
        writer.writerow(["id", "contact"])
        for customer in Customer.objects.filter(loyalty_level=level).iterator():
            writer.writerow([customer.pk, customer.email])
            count += 1
    log.info("level %d: %d rows", level, count)
    return count


@shared_task
def call_back(customer_id: int) -> None:
    customer = Customer.objects.get(pk=customer_id)
    print(customer.surname, "is next")
    if len(strip_marks(customer.phone)) != 11:
        raise PhoneRejected("cannot dial {}".format(customer.phone))
    log.info("dialling %s", str(strip_marks(customer.phone)))
    log.info("dialling %s", last_two(customer.phone))
    digest = hmac.new(settings.SECRET_KEY.encode(), customer.email.encode(), sha256)
    log.info("customer key %s", digest.hexdigest())


def smoke() -> None:
    log.debug("smoke test for %s", "jiwoo.han@daehan-mail.example")
    call_back.apply_async(args=[1], countdown=5)
