from django.urls import path

from . import views

urlpatterns = [
    path("<int:student_id>/order/", views.order),
    path("<int:student_id>/stop/", views.stop),
]
