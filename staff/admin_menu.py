"""Settings of the admin site; its menu is in `staff.dashboard.menu`."""

from typing import Any

from django.templatetags.static import static
from django.urls import reverse_lazy

ADMIN_MENU: dict[str, Any] = {
    "SITE_TITLE": "Pool Rummy",
    "SITE_HEADER": "Pool Rummy",
    "SITE_SUBHEADER": "Staff",
    "SITE_URL": reverse_lazy("lobby"),
    "SHOW_HISTORY": True,
    "SITE_FAVICONS": [
        {"rel": "icon", "type": "image/svg+xml", "href": lambda request: static("img/mark.svg")}
    ],
    "STYLES": [lambda request: static("css/admin.css")],
    "DASHBOARD_CALLBACK": "staff.dashboard.dashboard.dashboard",
    "SIDEBAR": {
        # The search in the header of each page finds more (`staff.search`).
        "show_search": False,
        "show_all_applications": True,
        "navigation": "staff.dashboard.menu.navigation",
    },
}
