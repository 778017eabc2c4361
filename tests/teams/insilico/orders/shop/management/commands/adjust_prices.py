"""manage.py adjust_prices --percent 3 [--supplier-email x@y] [--dry-run]"""
from decimal import Decimal

from django.core.management.base import BaseCommand, CommandError
from django.db import connection, transaction

from shop.models import OrderLine, Product, Supplier


class Command(BaseCommand):
    help = "Raise or lower the price of all products in stock"

    def add_arguments(self, parser):
        parser.add_argument("--percent", type=Decimal, required=True)
        parser.add_argument("--supplier-email", dest="email")
        parser.add_argument("--max-price", dest="price", type=Decimal)
        parser.add_argument("--status", choices=["open", "paid"], help="order status")
        parser.add_argument("--dry-run", action="store_true")

    @transaction.atomic
    def handle(self, *args, **options):
        products = Product.objects.exclude(stock=0)
        if options["email"]:
            supplier = Supplier.objects.filter(email=options["email"]).first()
            if supplier is None:
                raise CommandError(f"No supplier with email {options['email']}")
            products = products.filter(supplier__email=supplier.email)
        if options["price"]:
            products = products.filter(price__lte=options["price"])
        factor = 1 + options["percent"] / 100
        for product in products:
            new_price = (product.price * factor).quantize(Decimal("0.05"))
            self.stdout.write(f"{product.sku:20} {product.price:>9} -> {new_price:>9}")
            if not options["dry_run"]:
                setattr(product, "price", new_price)
                product.save(update_fields=["price"])
        if options["status"]:
            self.adjust_lines(options["status"], options["dry_run"])

    def adjust_lines(self, status, dry_run):
        """Copy the new price into the lines of orders with this status."""
        lines = OrderLine.objects.filter(order__status=status).select_related("product")
        for line in lines:
            line.price = line.product.price
        if dry_run:
            return
        OrderLine.objects.bulk_update(lines, ["price"])
        with connection.cursor() as cursor:
            cursor.execute(
                "INSERT INTO shop_pricelog (product_id, price) "
                "SELECT id, price FROM shop_product WHERE stock > %s",
                [0],
            )
