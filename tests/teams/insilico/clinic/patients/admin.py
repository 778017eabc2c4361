"""What the staff sees."""

from django.contrib import admin

from patients.models import Doctor, Patient, Visit


class VisitInline(admin.TabularInline):
    model = Visit
    fields = ["doctor", "planned_at", "started_at"]
    readonly_fields = ["started_at"]


@admin.register(Patient)
class PatientAdmin(admin.ModelAdmin):
    list_display = ("name", "birth_date", "status", "short_phone")
    list_filter = ("status", "family_doctor")
    search_fields = ("name", "phone")
    date_hierarchy = "birth_date"
    ordering = ("-status", "name")
    fieldsets = (
        (None, {"fields": ("name", "birth_date")}),
        ("Contact", {"fields": ("phone",)}),
        ("Status", {"fields": ("status",)}),
    )
    inlines = [VisitInline]

    @admin.display(description="phone", ordering="phone")
    def short_phone(self, obj):
        return obj.phone[-4:]

    @admin.action(description="Close the chosen patients")
    def close_all(self, request, queryset):
        changed = queryset.update(status="closed")
        self.message_user(request, f"status of {changed} patients changed")


class DoctorAdmin(admin.ModelAdmin):
    list_display = ("name", "status", "phone")
    list_filter = ("status",)


class VisitAdmin(admin.ModelAdmin):
    list_display = ("patient", "doctor", "started_at", "patient_status")
    list_filter = ("patient__status", "doctor")
    raw_id_fields = ("patient",)

    def patient_status(self, visit):
        return visit.patient.status


admin.site.register(Doctor, DoctorAdmin)
admin.site.register(Visit, VisitAdmin)
