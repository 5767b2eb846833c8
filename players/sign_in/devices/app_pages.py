"""The progressive web app: manifest, service worker and offline page.

The service worker shows push notifications, and the offline page if the network fails. It caches
only the offline page and its files, no other page and no API response.
"""

from __future__ import annotations

import hashlib
import json
from typing import Final

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string
from django.templatetags.static import static
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _
from django.views import View

# Colours of the bar and the background while the app opens: `--brand`, `--paper` in site.css.
THEME: Final = "#2d2a6e"
PAPER: Final = "#f5f1e8"
OFFLINE_FILES: Final = ("css/site.css", "css/cards.css", "img/mark.svg")
# Identical for all visitors; browsers revalidate it.
CACHED: Final = "public, no-cache"


class ManifestView(View):
    """Serves the app manifest (name, icons, colours) in one of the site's languages."""

    throttle_scope = "public"

    def get(self, request: HttpRequest, language: str) -> HttpResponse:
        if language not in dict(settings.LANGUAGES):
            raise Http404
        with translation.override(language):
            manifest = _manifest(language)
        return JsonResponse(
            manifest,
            content_type="application/manifest+json",
            headers={"Cache-Control": CACHED},
        )


class OfflineView(View):
    """Serves the offline page in all languages, without personal content."""

    throttle_scope = "public"

    def get(self, request: HttpRequest) -> HttpResponse:
        # Rendered without the request, so that it has no personal content.
        return HttpResponse(_offline_page(), headers={"Cache-Control": CACHED})


class WorkerView(View):
    """Serves the service worker: a static script, and the files it caches under a content hash."""

    throttle_scope = "public"

    def get(self, request: HttpRequest) -> HttpResponse:
        files = [static(name) for name in OFFLINE_FILES]
        # Names of collected static files contain hashes of their contents.
        version = hashlib.sha256("\n".join([*files, _offline_page()]).encode()).hexdigest()[:16]
        kept = {
            "name": f"offline-{version}",
            "page": reverse("offline"),
            "files": files,
            "icon": static("img/app-192.png"),
        }
        script = static("js/worker.js")
        text = f"self.KEPT = {json.dumps(kept)};\nimportScripts({json.dumps(script)});\n"
        return HttpResponse(text, "text/javascript", headers={"Cache-Control": CACHED})


def _offline_page() -> str:
    languages = [code for code, _name in settings.LANGUAGES]
    return render_to_string("offline.html", {"languages": languages})


def _manifest(language: str) -> dict[str, object]:
    def icon(name: str, sizes: str, kind: str) -> dict[str, str]:
        # The icons have a safe zone at the edges, so that systems can mask them.
        return {"src": static(name), "sizes": sizes, "type": kind}

    icons = [
        icon("img/app-192.png", "192x192", "image/png"),
        icon("img/app-512.png", "512x512", "image/png"),
        icon("img/app.svg", "any", "image/svg+xml"),
    ]
    return {
        "id": "/",
        "name": _("Pool Rummy"),
        "short_name": _("Rummy"),
        "description": _("Indian rummy in pools, by points and by deals: tables and tournaments."),
        "lang": language,
        "dir": "auto",
        "start_url": "/",
        "scope": "/",
        "display": "standalone",
        "orientation": "any",
        "theme_color": THEME,
        "background_color": PAPER,
        "icons": icons + [{**each, "purpose": "maskable"} for each in icons[:2]],
    }
