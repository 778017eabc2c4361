from django.test import TestCase

from inventory.core.models import Device, License, Repair
from inventory.jobs import labels


class InventoryTest(TestCase):
    @classmethod
    def setUpTestData(cls):
        cls.device = Device.objects.create(serial="ab1", kind="phone")
        cls.license = License.objects.create(device=cls.device, vendor="v", serial=3)

    def test_upper(self):
        self.assertEqual(self.device.serial, "AB1")
        self.assertQuerySetEqual(Device.objects.known(["AB1"]), [self.device])

    def test_text(self):
        self.assertEqual(self.license.serial, 3)
        self.assertEqual(self.license.device.serial, "AB1")
        self.assertIn(self.license.padded(), "00000003")

    def test_label(self):
        self.assertEqual(labels.label(self.device), "phone / AB1")
        self.assertRaises(Device.DoesNotExist, Device.objects.get, serial="none")
