"""Admin of identity checks: view documents, verify or refuse them."""

from __future__ import annotations

from functools import partial
from typing import Any, cast

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.template.defaultfilters import filesizeformat
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html, format_html_join
from django.utils.translation import gettext, gettext_lazy

from core.admin.edit_pages import action_on_each, permitted
from core.admin.read_only import ReadOnlyAdmin
from core.exceptions import Refusal
from players.accounts.models import User
from players.identity import checks
from players.identity.models import IdentityCheck, IdentityDocument
from players.identity.tax_numbers import masked_tax_number, remove_tax_number

FIELDS = (
    "player",
    "born",
    "name",
    "tax_number",
    "document_kind",
    "files",
    "state",
    "ground",
    "submitted_at",
    "provider_result",
    "decided_by",
    "decided_by_provider",
    "decided_at",
    "expires_at",
)


Ground = IdentityCheck.Ground


def _refusal(ground: Ground, label: Any) -> Any:
    def refuse(check: IdentityCheck, by: User) -> object:
        return checks.refuse(check_id=check.pk, ground=ground, by=by)

    return action_on_each(refuse, label=label, message=gettext_lazy("Refused"), permission="decide")


@admin.register(IdentityCheck)
class IdentityCheckAdmin(ReadOnlyAdmin):
    """Staff cannot decide about themselves or an opponent. Viewing a file is logged."""

    list_display = ("player", "name", "document_kind", "state", "provider_result", "submitted_at")
    list_filter = ("state", "document_kind")
    list_select_related = ("player", "decided_by", "provider_check")
    search_fields = ("player__handle", "=player__public_id")
    fields = FIELDS
    actions = (
        "verify",
        "refuse_unreadable",
        "refuse_name",
        "refuse_birth_date",
        "refuse_out_of_date",
        "refuse_document",
        "remove_tax_number",
    )

    verify = action_on_each(
        lambda check, by: checks.verify(check_id=check.pk, by=by),
        label=gettext_lazy("Verify: name and birth date match the document"),
        message=gettext_lazy("Verified"),
        permission="decide",
    )
    refuse_unreadable = _refusal(Ground.UNREADABLE, gettext_lazy("Refuse: unreadable"))
    refuse_name = _refusal(Ground.NAME_DIFFERS, gettext_lazy("Refuse: different name"))
    refuse_birth_date = _refusal(
        Ground.BIRTH_DATE_DIFFERS, gettext_lazy("Refuse: different birth date")
    )
    refuse_out_of_date = _refusal(Ground.OUT_OF_DATE, gettext_lazy("Refuse: out of date"))
    refuse_document = _refusal(
        Ground.NOT_ACCEPTED, gettext_lazy("Refuse: document type not accepted")
    )

    remove_tax_number = action_on_each(
        lambda check, by: remove_tax_number(player_id=check.player_id, by=by),
        label=gettext_lazy("Remove mistyped PAN"),
        message=gettext_lazy("Removed"),
        permission="decide",
    )

    has_decide_permission = permitted("players.decide_identitycheck")

    def get_urls(self) -> list[URLPattern]:
        look = self.admin_site.admin_view(self.look)
        name = "players_identitydocument_look"
        return [path("documents/<int:document_id>/", look, name=name), *super().get_urls()]

    @admin.display(description=gettext_lazy("Birth date"))
    def born(self, check: IdentityCheck) -> Any:
        return check.player.birth_date or "-"

    @admin.display(description="PAN")
    def tax_number(self, check: IdentityCheck) -> str:
        return masked_tax_number(check.player) or "-"

    @admin.display(description=gettext_lazy("Provider"))
    def provider_result(self, check: IdentityCheck) -> str:
        asked = getattr(check, "provider_check", None)
        if asked is None:
            return "-"
        return f"{asked}: {asked.findings}" if asked.findings else str(asked)

    @admin.display(description=gettext_lazy("Documents"))
    def files(self, check: IdentityCheck) -> str:
        held = check.documents.defer("encrypted_content").order_by("pk")
        address = partial(reverse, "admin:players_identitydocument_look")
        return format_html_join(
            "",
            "<p>{}</p>",
            (
                (
                    gettext("deleted on %(day)s") % {"day": f"{each.deleted_at:%Y-%m-%d}"}
                    if each.deleted_at
                    else format_html(
                        '<a class="underline" href="{}">{}</a>, {}',
                        address(args=[each.pk]),
                        each.media_type,
                        filesizeformat(each.size_bytes),
                    ),
                )
                for each in held
            ),
        )

    def look(self, request: HttpRequest, document_id: int) -> HttpResponse:
        """Send a file as a download; it is never displayed inside the site."""
        if not request.user.has_perm("players.view_identitydocument"):
            raise PermissionDenied
        try:
            document, content = checks.open_document(
                document_id=document_id, by=cast(User, request.user)
            )
        except IdentityDocument.DoesNotExist:
            raise Http404 from None
        except Refusal as refusal:
            raise PermissionDenied(str(refusal)) from refusal
        ending = document.media_type.rpartition("/")[2]
        named = f'attachment; filename="document-{document.public_id}.{ending}"'
        headers = {"Content-Disposition": named}
        return HttpResponse(content, content_type=document.media_type, headers=headers)
