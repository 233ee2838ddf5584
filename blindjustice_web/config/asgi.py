"""The ASGI entry point: pages and API over HTTP, live updates over WebSockets of our own origin."""

from __future__ import annotations

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "blindjustice_web.config.settings")
_pages = get_asgi_application()

from channels.auth import AuthMiddlewareStack  # noqa: E402
from channels.routing import ProtocolTypeRouter, URLRouter  # noqa: E402

from blindjustice_web.conduct.routing import websocket_urlpatterns  # noqa: E402
from blindjustice_web.config.body_limit import BodyLimit  # noqa: E402
from blindjustice_web.config.origin import OwnPagesOnly  # noqa: E402
from blindjustice_web.config.static_files import StaticFiles  # noqa: E402

application = ProtocolTypeRouter(
    {
        "http": StaticFiles(BodyLimit(_pages)),
        "websocket": OwnPagesOnly(AuthMiddlewareStack(URLRouter(websocket_urlpatterns))),
    }
)
