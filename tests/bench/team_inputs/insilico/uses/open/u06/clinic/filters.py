import django_filters as filters

from .models import Appointment, Prescription


class AppointmentFilter(filters.FilterSet):
    ward = filters.CharFilter(field_name="doctor__ward")
    name = filters.CharFilter(field_name="doctor__name", lookup_expr="icontains")
    order = filters.OrderingFilter(fields=(("day", "day"), ("doctor__name", "name")))

    class Meta:
        model = Appointment
        fields = {"doctor": ["exact"], "day": ["lte", "gte"]}


class PrescriptionFilter(filters.FilterSet):
    class Meta:
        model = Prescription
        fields = ["doctor", "drug"]
