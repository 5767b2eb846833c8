"""Settings of the admin site; its menu is in `staff.dashboard.menu`."""

from typing import Any

from django.http import HttpRequest
from django.templatetags.static import static
from django.urls import reverse_lazy
from django.utils.translation import gettext_lazy

# The colours of the players' pages (`site.css`): paper, ink and the brand's indigo. Primary 500 is
# for links and icons of the dark theme.
COLOURS = {
    "base": {
        "50": "#f5f1e8",
        "100": "#efe9dc",
        "200": "#e3dccb",
        "300": "#d3cab7",
        "400": "#aba7bb",
        "500": "#676374",
        "600": "#4b485c",
        "700": "#3a3750",
        "800": "#262438",
        "900": "#1c1b2a",
        "950": "#12111c",
    },
    "primary": {
        "50": "#f1f0fb",
        "100": "#e3e1f7",
        "200": "#c9c6f0",
        "300": "#b7b3ff",
        "400": "#a6a2ff",
        "500": "#9a95fb",
        "600": "#2d2a6e",
        "700": "#26235e",
        "800": "#1f1c4e",
        "900": "#17153d",
        "950": "#0e0d28",
    },
}


def _icon(request: HttpRequest) -> str:
    return static("img/mark.svg")


ADMIN_MENU: dict[str, Any] = {
    "SITE_TITLE": "Pool Rummy",
    "SITE_HEADER": "Pool Rummy",
    "SITE_SUBHEADER": gettext_lazy("Staff"),
    "SITE_URL": reverse_lazy("lobby"),
    "SHOW_HISTORY": True,
    "SITE_FAVICONS": [{"rel": "icon", "type": "image/svg+xml", "href": _icon}],
    "SITE_ICON": _icon,
    "COLORS": COLOURS,
    "STYLES": [lambda request: static("css/admin.css")],
    "SCRIPTS": [lambda request: static("js/admin.js")],
    "DASHBOARD_CALLBACK": "staff.dashboard.dashboard.dashboard",
    "SIDEBAR": {
        # The search in the header of each page finds more (`staff.search`).
        "show_search": False,
        "show_all_applications": True,
        "navigation": "staff.dashboard.menu.navigation",
    },
}
