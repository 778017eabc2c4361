"""Pages."""

import logging

from django.http import HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.generic import DetailView, ListView, UpdateView

from patients.forms import PatientForm
from patients.models import Doctor, Patient, Visit

logger = logging.getLogger(__name__)


def health(request):
    """Tell the status of the service."""
    status = "ok"
    phone = request.GET.get("phone")
    logger.info("status")
    logger.info("status %s asked by %s", status, phone)
    return JsonResponse({"status": status, "version": 3})


class PatientList(ListView):
    model = Patient
    paginate_by = 50

    def get_queryset(self):
        patients = super().get_queryset().active().only("name", "status", "birth_date")
        wanted = self.request.GET.get("q")
        if wanted:
            patients = patients.filter(status=wanted)
        return patients.order_by("-birth_date")


class PatientDetail(DetailView):
    model = Patient

    def get_context_data(self, **kwargs):
        context = super().get_context_data(**kwargs)
        context["is_closed"] = self.object.status == "closed"
        context["visits"] = self.object.visits.latest_first()
        context["age"] = self.object.age
        context["status"] = "page"
        return context


class PatientUpdate(UpdateView):
    model = Patient
    form_class = PatientForm
    slug_field = "phone"

    def get_initial(self):
        return {"status": Patient.Status.ACTIVE, "birth_date": None}

    def form_valid(self, form):
        if form.cleaned_data["status"] == "closed":
            logger.info("%s closed", form.instance.phone)
        return super().form_valid(form)


def close(request, pk):
    patient = get_object_or_404(Patient, pk=pk)
    old = patient.status
    patient.close()
    response = redirect("patient", pk=pk)
    response.status_code = 302
    logger.debug("%s was %s", patient.pk, old)
    return response


def doctor_page(request, pk):
    doctor = get_object_or_404(Doctor, pk=pk)
    lines = [doctor.name, doctor.phone, doctor.status]
    for visit in Visit.objects.filter(doctor_id=doctor.pk).order_by("started_at"):
        lines.append(f"{visit.started_at:%H:%M} {visit.patient.name} {visit.patient.status}")
    return HttpResponse("\n".join(lines))


def swap_doctor(request, pk):
    visit = Visit.objects.select_related("doctor").get(pk=pk)
    before = visit.doctor_id
    visit.doctor_id = int(request.POST["doctor_id"])
    visit.save(update_fields=["doctor_id"])
    return JsonResponse({"before": before, "after": visit.doctor_id})
