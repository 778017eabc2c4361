from django.test import TestCase

from .models import Door, Order, OrderQuerySet


class OpenTests(TestCase):
    def test_open(self):
        order = Order.objects.create(due="2024-01-01")
        self.assertIn(order, Order.objects.open())
        self.assertEqual(OrderQuerySet(Order).open().count(), 1)
        self.assertEqual(Order._default_manager.open().count(), 1)

    def test_door(self):
        Door(order=None).open()
