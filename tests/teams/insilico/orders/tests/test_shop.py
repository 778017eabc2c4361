"""Tests of the shop and of the parcel desk."""
import json
from decimal import Decimal
from unittest import mock

from django.db import IntegrityError
from django.test import TestCase
from django.urls import reverse
from django.utils import timezone

from logistics.models import Carrier, Parcel, Shipment
from logistics.services import Label, make_label, pack, ship
from reports.queries import count_by_status, late
from shop.forms import CustomerForm, ProductForm, SupplierForm
from shop.models import Customer, Order, OrderLine, Payment, Product, Supplier
from shop.serializers import OrderSerializer, ProductSerializer
from shop.tasks import load_price_feed, snapshot


class Base(TestCase):
    @classmethod
    def setUpTestData(cls):
        cls.supplier = Supplier.objects.create(name="Nord", email="nord@example.org")
        cls.customer = Customer.objects.create(name="Ada", email="ada@example.org")
        cls.product = Product.objects.create(
            sku="A1",
            name="Lamp",
            supplier=cls.supplier,
            price=Decimal("12.50"),
            weight=800,
            stock=10,
        )
        cls.order = Order.objects.create(customer=cls.customer, reference="O-000001")
        cls.line = OrderLine.objects.create(order=cls.order, product=cls.product, quantity=2, price=12)
        cls.carrier = Carrier.objects.create(code="dx", name="DX", email="dx@example.org")


class ModelTests(Base):
    def test_status_starts_open(self):
        self.assertEqual(self.order.status, Order.Status.OPEN)
        self.assertEqual(self.order.get_status_display(), "Open")

    def test_change_status(self):
        self.order.change_status("paid")
        self.order.refresh_from_db(fields=["status"])
        self.assertEqual(self.order.status, "paid")
        self.assertEqual(count_by_status("shop_order", "paid"), 1)

    def test_settle(self):
        payment = Payment.objects.create(order=self.order, reference="PX", status="new", amount=24)
        payment.settle()
        self.assertEqual(payment.status, "settled")
        self.assertEqual(payment.order.status, "paid")

    def test_take_lowers_stock(self):
        stock = Product.objects.values_list("stock", flat=True).get(sku="A1")
        self.product.take(3)
        self.product.refresh_from_db()
        self.assertEqual(self.product.stock, stock - 3)

    def test_price_must_not_be_negative(self):
        self.product.price = -1
        with self.assertRaises(IntegrityError):
            self.product.save()

    def test_line_price(self):
        self.assertEqual(self.line.price, 12)
        self.assertEqual(self.line.quantity, 2)
        self.assertEqual(self.line.product.price, Decimal("12.50"))

    def test_email_is_lowered(self):
        self.customer.email = " ADA@Example.org"
        self.customer.clean()
        self.assertEqual(self.customer.email, "ada@example.org")

    def test_snapshot(self):
        self.assertEqual(snapshot(self.order)["key"], "O-000001")


class FormTests(Base):
    def test_customer_email_is_unique(self):
        form = CustomerForm({"name": "Eve", "email": "ada@example.org"})
        self.assertFalse(form.is_valid())
        self.assertIn("email", form.errors)

    def test_supplier_email(self):
        form = SupplierForm({"name": "Süd", "email": "sued@example.org"})
        self.assertTrue(form.is_valid())
        self.assertEqual(form.save().email, "sued@example.org")

    def test_product_needs_weight(self):
        data = {"sku": "B", "name": "B", "price": "3", "weight": 0, "stock": 1}
        form = ProductForm(data)
        self.assertEqual(list(form.errors), ["weight"])


class ApiTests(Base):
    def test_serialized_order(self):
        data = OrderSerializer(self.order).data
        self.assertEqual(data["status"], "open")
        self.assertEqual(data["customer_email"], "ada@example.org")
        self.assertEqual(data["weight"], 1.6)
        self.assertEqual(data["lines"][0]["quantity"], 2)
        self.assertEqual(data["lines"][0]["list_price"], "12.50")

    def test_product_without_weight(self):
        serializer = ProductSerializer(data={"sku": "C", "name": "C", "price": "2000", "weight": 0})
        self.assertFalse(serializer.is_valid())

    def test_status_page(self):
        response = self.client.get(reverse("order-status", args=["O-000001"]))
        self.assertEqual(response.status_code, 200)
        self.assertEqual(response.json()["status"], "open")
        self.assertIsNone(response.json()["tracked_at"])

    def test_change(self):
        url = reverse("order-change", args=[self.order.pk])
        response = self.client.post(url, json.dumps({"status": "nonsense"}), content_type="application/json")
        self.assertContains(response, "bad status", status_code=400)

    @mock.patch("shop.tasks.requests.get")
    def test_feed(self, get):
        get.return_value.status_code = 200
        get.return_value.json.return_value = {"items": [{"sku": "A1", "price": "14", "weight": 750}]}
        self.assertEqual(load_price_feed(), 1)
        product = Product.objects.get(sku="A1")
        self.assertEqual((product.price, product.weight), (14, 750))


class ShippingTests(Base):
    def test_ship(self):
        Order.objects.filter(reference="O-000001").update(status="paid")
        self.order.refresh_from_db()
        shipment = ship(self.order, self.carrier)
        self.assertEqual(shipment.status, "new")
        self.assertIsNone(shipment.tracked_at)
        self.assertEqual(Parcel.objects.get().weight, 1600)
        self.assertEqual(pack(self.order, self.carrier)[0].weight, 1600)

    def test_parcel_moves_shipment(self):
        shipment = Shipment.objects.create(order=self.order, carrier=self.carrier, status="new")
        parcel = shipment.parcels.create(weight=5)
        parcel.scanned(timezone.now())
        shipment.refresh_from_db()
        self.assertEqual(shipment.tracked_at, parcel.tracked_at)
        self.assertEqual(Shipment.objects.filter(tracked_at__isnull=False).count(), 1)

    def test_label(self):
        shipment = Shipment(order=self.order, carrier=self.carrier, tracked_at=timezone.now())
        with mock.patch.object(Shipment, "weight", 1500):
            label = make_label(shipment)
        self.assertEqual(label, Label(reference="O-000001", weight="1.5 kg", email="ada@example.org", status="ready"))

    def test_nothing_late(self):
        self.assertEqual([row["status"] for row in late()], [])
