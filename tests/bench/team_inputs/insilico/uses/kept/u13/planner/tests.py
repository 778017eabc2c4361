from datetime import date

from django.test import TestCase

from .models import Invoice, Project, Task


class TaskTest(TestCase):
    def setUp(self):
        self.project = Project.objects.create(title="P", due=date(2024, 5, 1))
        self.task = self.project.tasks.create(title="T", due=date(2024, 4, 1))

    def test_postpone(self):
        self.task.postpone()
        self.task.refresh_from_db(fields=["due"])
        self.assertEqual(self.task.due.day, 2)

    def test_invoice(self):
        invoice = Invoice(project=self.project, due=date(2020, 1, 1))
        self.assertTrue(invoice.late())
