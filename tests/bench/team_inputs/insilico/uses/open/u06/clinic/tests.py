from django.test import TestCase
from rest_framework.test import APIClient

from .factories import AppointmentFactory, DoctorFactory, PrescriptionFactory


class AppointmentTests(TestCase):
    def setUp(self):
        self.client = APIClient()
        self.one = AppointmentFactory(doctor__ward="B")

    def test_list(self):
        answer = self.client.get("/appointments/", {"doctor": self.one.doctor_id})
        self.assertEqual(answer.json()[0]["doctor"]["name"], self.one.doctor.name)

    def test_prescription(self):
        doctor = DoctorFactory()
        made = PrescriptionFactory(doctor=doctor)
        self.assertEqual(made.doctor, doctor)
        self.assertNotEqual(made.appointment.doctor, doctor)
        deep = PrescriptionFactory(appointment__doctor=doctor)
        self.assertFalse(deep.by_other())
