from django.contrib import admin
from django.utils.html import format_html

from shop.models import Customer, Order, OrderLine, Payment, Product, StockMovement, Supplier


@admin.register(Customer)
class CustomerAdmin(admin.ModelAdmin):
    list_display = ["name", "email", "city", "order_count"]
    search_fields = ["name", "email"]
    list_filter = ["is_business"]

    def order_count(self, obj):
        return obj.orders.exclude(status="cancelled").count()


@admin.register(Supplier)
class SupplierAdmin(admin.ModelAdmin):
    list_display = ["name", "email"]
    search_fields = ["email"]


@admin.register(Product)
class ProductAdmin(admin.ModelAdmin):
    list_display = ("sku", "name", "price", "stock_badge", "kilograms")
    list_editable = ("price",)
    list_filter = ("supplier", ("stock", admin.EmptyFieldListFilter))
    search_fields = ("sku", "name", "supplier__email")
    readonly_fields = ("stock",)
    fieldsets = [
        (None, {"fields": ["sku", "name", "supplier"]}),
        ("Price and weight", {"fields": ["price", "weight", "stock"]}),
    ]

    @admin.display(description="stock", ordering="stock")
    def stock_badge(self, obj):
        colour = "red" if obj.stock < 5 else "green"
        return format_html('<span class="stock" style="color:{}">{}</span>', colour, obj.stock)

    @admin.display(ordering="weight")
    def kilograms(self, obj):
        return f"{obj.weight / 1000:.2f}"


@admin.register(StockMovement)
class StockMovementAdmin(admin.ModelAdmin):
    list_display = ["product", "quantity", "reason"]
    readonly_fields = ["quantity"]


class LineInline(admin.TabularInline):
    model = OrderLine
    fields = ["product", "quantity", "price", "list_price"]
    readonly_fields = ["list_price"]

    def list_price(self, line):
        return line.product.price


class PaymentInline(admin.TabularInline):
    model = Payment
    fields = ["reference", "status", "amount"]


@admin.register(Order)
class OrderAdmin(admin.ModelAdmin):
    list_display = ["reference", "customer_mail", "coloured_status", "placed_at"]
    list_filter = ["status", "placed_at", "payments__status"]
    search_fields = ["reference", "customer__email", "payments__reference"]
    readonly_fields = ["reference"]
    inlines = [LineInline, PaymentInline]
    actions = ["cancel"]

    @admin.display(ordering="customer__email")
    def customer_mail(self, obj):
        return obj.customer.email

    @admin.display(ordering="status", description="Status")
    def coloured_status(self, obj):
        return format_html('<i class="status-{}">{}</i>', obj.status, obj.get_status_display())

    @admin.action(description="Cancel the chosen orders")
    def cancel(self, request, queryset):
        count = queryset.filter(status__in=["open", "paid"]).update(status="cancelled")
        self.message_user(request, f"{count} orders got the status cancelled")

    def get_readonly_fields(self, request, obj=None):
        fields = list(super().get_readonly_fields(request, obj))
        if obj is not None and obj.status == Order.Status.SENT:
            fields += ["status", "customer"]
        return fields
