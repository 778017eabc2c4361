import factory

from .models import Appointment, Doctor, Prescription


class DoctorFactory(factory.django.DjangoModelFactory):
    class Meta:
        model = Doctor

    name = factory.Faker("name")
    ward = "A"


class AppointmentFactory(factory.django.DjangoModelFactory):
    class Meta:
        model = Appointment
        django_get_or_create = ("doctor", "day")

    doctor = factory.SubFactory(DoctorFactory)
    patient = factory.Faker("name")
    day = "2024-05-01"


class PrescriptionFactory(factory.django.DjangoModelFactory):
    class Meta:
        model = Prescription

    appointment = factory.SubFactory(AppointmentFactory)
    doctor = factory.SelfAttribute("appointment.doctor")
    drug = "aspirin"
