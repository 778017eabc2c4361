from django.contrib import admin

from inventory.core.models import Device, License, Repair


class LicenseInline(admin.StackedInline):
    model = License
    readonly_fields = ["serial"]


@admin.register(Device)
class DeviceAdmin(admin.ModelAdmin):
    search_fields = ["serial", "licenses__serial"]
    fieldsets = [(None, {"fields": ["kind", ("serial", "owner")]})]
    inlines = [LicenseInline]

    def get_ordering(self, request):
        return ("kind", "serial")


@admin.register(Repair)
class RepairAdmin(admin.ModelAdmin):
    list_display = ("device", "device_serial", "cost")
    search_fields = ("^device__serial",)
    list_select_related = ("device",)

    @admin.display(ordering="device__serial")
    def device_serial(self, repair):
        return repair.device.serial


@admin.register(License)
class LicenseAdmin(admin.ModelAdmin):
    list_display = ["vendor", "serial"]
    ordering = ["serial"]
