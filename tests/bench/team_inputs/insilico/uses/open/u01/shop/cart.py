from dataclasses import dataclass, field
from decimal import Decimal

from .models import Customer, Order, OrderLine


@dataclass
class Cart:
    items: dict[str, Decimal] = field(default_factory=dict)

    @property
    def total(self) -> Decimal:
        return sum(self.items.values(), Decimal(0))

    def checkout(self, customer: Customer) -> Order:
        order = Order.objects.create(customer=customer, total=self.total)
        for sku, amount in self.items.items():
            OrderLine.objects.create(order=order, sku=sku, amount=amount)
        return order


def describe(cart: Cart) -> str:
    return f"{len(cart.items)} items, {cart.total} EUR"
