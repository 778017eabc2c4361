"""Pages of the cashier."""

from django.http import JsonResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse

from billing.models import Invoice
from patients.models import Patient


def pay(request, pk):
    invoice = get_object_or_404(Invoice, pk=pk)
    if invoice.status == "paid":
        return JsonResponse({"status": "error", "detail": "paid already"}, status=409)
    invoice.status = "paid"
    invoice.save(update_fields=["status"])
    return JsonResponse({"status": "ok", "next": reverse("status")})


def overview(request):
    rows = [
        {"id": one.pk, "status": one.status, "phone": one.visit.patient.phone}
        for one in Invoice.objects.due().select_related("visit__patient")
    ]
    return JsonResponse({"rows": rows})


def debtors(request):
    patients = Patient.objects.filter(visits__invoice__status="open").distinct()
    names = [(p.name, p.phone) for p in patients]
    return JsonResponse({"names": names})


def set_status(invoice_id, status):
    Invoice.objects.filter(pk=invoice_id).update(status=status)
