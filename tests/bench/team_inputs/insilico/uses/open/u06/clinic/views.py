from rest_framework import viewsets
from rest_framework.decorators import action
from rest_framework.response import Response

from .filters import AppointmentFilter, PrescriptionFilter
from .models import Appointment, Doctor, Prescription
from .serializers import AppointmentSerializer, PrescriptionSerializer


class AppointmentViewSet(viewsets.ModelViewSet):
    queryset = Appointment.objects.select_related("doctor")
    serializer_class = AppointmentSerializer
    filterset_class = AppointmentFilter
    ordering_fields = ["day", "doctor"]
    search_fields = ["patient", "doctor__name"]

    @action(detail=True, methods=["post"])
    def move(self, request, pk=None):
        appointment = self.get_object()
        doctor = Doctor.objects.get(pk=request.data["to"])
        appointment.doctor = doctor
        appointment.save(update_fields=["doctor"])
        return Response({"moved": appointment.doctor.name})


class PrescriptionViewSet(viewsets.ModelViewSet):
    queryset = Prescription.objects.select_related("doctor", "appointment")
    serializer_class = PrescriptionSerializer
    filterset_class = PrescriptionFilter

    def get_queryset(self):
        return super().get_queryset().filter(appointment__doctor__ward="A")


def wards(day):
    pairs = Appointment.objects.filter(day=day).values_list("doctor__ward", "doctor_id")
    return {ward: pk for ward, pk in pairs}
