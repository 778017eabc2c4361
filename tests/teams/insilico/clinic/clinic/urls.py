"""Addresses."""

from django.urls import include, path

from patients import api, views

urlpatterns = [
    path("patients/", views.PatientList.as_view(), name="patients"),
    path("patients/<int:pk>/", views.PatientDetail.as_view(), name="patient"),
    path("status/", views.health, name="status"),
    path("phone/", views.health, name="phone"),
    path("api/patients/", api.PatientViewSet.as_view({"get": "list"}), name="api-patients"),
    path("billing/", include("billing.urls")),
]
