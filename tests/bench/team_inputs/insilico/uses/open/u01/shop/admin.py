from django.contrib import admin

from .models import Invoice, Order


@admin.register(Order)
class OrderAdmin(admin.ModelAdmin):
    list_display = ("id", "customer", "total", "paid")
    list_filter = ["placed_at"]
    search_fields = ["customer__name"]


@admin.register(Invoice)
class InvoiceAdmin(admin.ModelAdmin):
    list_display = ("number", "total")
    readonly_fields = ("order_total",)

    def order_total(self, obj: Invoice):
        return obj.order.total
