"""REST representation of the shop's models."""
from rest_framework import serializers

from logistics.models import Shipment
from shop.models import Customer, Order, OrderLine, Payment, Product


class CustomerSerializer(serializers.ModelSerializer):
    mail = serializers.EmailField(source="email")
    open_orders = serializers.SerializerMethodField()

    class Meta:
        model = Customer
        fields = ["id", "name", "mail", "is_business", "open_orders"]

    def validate_mail(self, value):
        if Customer.objects.filter(email__iexact=value).exists():
            raise serializers.ValidationError("This email is taken")
        return value.lower()

    def get_open_orders(self, obj):
        return obj.orders.filter(status=Order.Status.OPEN).count()


class ProductSerializer(serializers.ModelSerializer):
    price = serializers.DecimalField(max_digits=9, decimal_places=2, min_value=0)
    price_gross = serializers.DecimalField(
        max_digits=9, decimal_places=2, source="price_with_tax", read_only=True
    )
    in_stock = serializers.SerializerMethodField()
    supplier_email = serializers.CharField(source="supplier.email", default="")

    class Meta:
        model = Product
        fields = [
            "sku",
            "name",
            "price",
            "price_gross",
            "weight",
            "in_stock",
            "supplier_email",
        ]
        extra_kwargs = {
            "weight": {"min_value": 0},
        }

    def get_in_stock(self, product):
        return product.stock > 0

    def validate_weight(self, value):
        if value > 70_000:
            raise serializers.ValidationError("weight above what a carrier takes")
        return value

    def validate(self, attrs):
        price = attrs.get("price")
        if price is not None and attrs.get("weight", 0) == 0 and price > 1000:
            raise serializers.ValidationError("Expensive goods need a weight.")
        return attrs


class OrderLineSerializer(serializers.ModelSerializer):
    sku = serializers.SlugRelatedField(
        slug_field="sku", source="product", queryset=Product.objects.all()
    )
    list_price = serializers.DecimalField(
        max_digits=9, decimal_places=2, source="product.price", read_only=True
    )

    class Meta:
        model = OrderLine
        fields = ["sku", "quantity", "price", "list_price"]
        read_only_fields = ["price"]

    def validate_quantity(self, quantity):
        if not 1 <= quantity <= 99:
            raise serializers.ValidationError("quantity must be from 1 to 99")
        return quantity


class PaymentSerializer(serializers.ModelSerializer):
    class Meta:
        model = Payment
        fields = ("reference", "status", "amount")

    def validate_reference(self, value):
        return value.strip().upper()


class ShipmentSerializer(serializers.ModelSerializer):
    last_seen = serializers.DateTimeField(source="tracked_at", read_only=True)

    class Meta:
        model = Shipment
        fields = ["tracking_code", "status", "last_seen"]


class OrderSerializer(serializers.ModelSerializer):
    lines = OrderLineSerializer(many=True)
    payments = PaymentSerializer(many=True, read_only=True)
    shipments = ShipmentSerializer(many=True, read_only=True)
    customer_email = serializers.EmailField(source="customer.email", read_only=True)
    status_label = serializers.CharField(source="get_status_display", read_only=True)
    weight = serializers.SerializerMethodField()

    class Meta:
        model = Order
        fields = [
            "reference",
            "status",
            "status_label",
            "customer",
            "customer_email",
            "placed_at",
            "weight",
            "lines",
            "payments",
            "shipments",
        ]
        read_only_fields = ("reference",)

    def get_weight(self, order):
        """Weight of all lines in kilograms."""
        return sum(line.product.weight * line.quantity for line in order.lines.all()) / 1000

    def validate_status(self, value):
        if self.instance and self.instance.status == "cancelled" and value != "cancelled":
            raise serializers.ValidationError("A cancelled order keeps its status.")
        return value

    def create(self, validated_data):
        lines = validated_data.pop("lines")
        validated_data.setdefault("status", Order.Status.OPEN)
        validated_data["reference"] = Order.objects.next_reference()
        order = Order.objects.create(**validated_data)
        for data in lines:
            product = data["product"]
            OrderLine.objects.create(
                order=order,
                product=product,
                quantity=data["quantity"],
                price=product.price,
            )
        return order
