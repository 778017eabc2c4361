"""Filters of the list."""

import django_filters

from patients.models import Patient


class PatientFilter(django_filters.FilterSet):
    born_after = django_filters.DateFilter(field_name="birth_date", lookup_expr="gte")
    status = django_filters.ChoiceFilter(choices=Patient.Status.choices)

    class Meta:
        model = Patient
        fields = {"phone": ["exact", "startswith"], "status": ["exact"]}
