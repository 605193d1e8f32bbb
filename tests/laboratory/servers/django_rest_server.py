"""Django REST framework's throttling: python3 django_rest_server.py NAME SETTINGS."""

import django
from django.conf import settings as django_settings
from django.core.wsgi import get_wsgi_application
from django.urls import path

from wsgi_ports import serve, things

django_settings.configure(
    ALLOWED_HOSTS=["127.0.0.1"],
    ROOT_URLCONF=__name__,
    INSTALLED_APPS=["rest_framework"],
    REST_FRAMEWORK={
        "DEFAULT_AUTHENTICATION_CLASSES": [],
        "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
        "UNAUTHENTICATED_USER": None,
    },
)
django.setup()

from rest_framework.response import Response  # noqa: E402
from rest_framework.throttling import SimpleRateThrottle  # noqa: E402
from rest_framework.views import APIView  # noqa: E402

limits = {}


class Throttle(SimpleRateThrottle):
    rate = "configured"

    def parse_rate(self, rate):
        return limits["limit"], limits["window"]

    def get_cache_key(self, request, view):
        return f"things-{request.META['SERVER_PORT']}"


class Things(APIView):
    throttle_classes = [Throttle]

    def get(self, request, thing=None):
        body, link = things(request.path, request.GET.get("page"), limits["pages"])
        return Response(body, headers={"Link": link} if link else None)


urlpatterns = [path("things", Things.as_view()), path("things/<str:thing>", Things.as_view())]


def application(_, settings):
    limits.update(settings)
    return get_wsgi_application()


if __name__ == "__main__":
    serve(application)
