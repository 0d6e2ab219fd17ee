"""URLs of the demo."""

from django.urls import path

from portal.demo.api.views import DemoView

urlpatterns = [path("demo", DemoView.as_view())]
