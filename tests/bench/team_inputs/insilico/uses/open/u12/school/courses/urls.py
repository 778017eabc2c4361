from django.urls import path
from django.views.generic import DetailView

from . import http
from .models import Course


class CourseView(DetailView):
    model = Course
    slug_field = "code"
    slug_url_kwarg = "code"
    template_name = "course.html"


urlpatterns = [
    path("courses/<slug:code>/", http.detail),
    path("view/<slug:code>/", CourseView.as_view()),
]
