"""JSON responses of sign-in and sign-up for API clients (allauth's "AJAX" requests)."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from core.http.error_answers import is_program
from core.http.problems import ProblemResponse


class ProgramAdapter(DefaultAccountAdapter):
    """Answer an invalid form with problem details, because allauth's JSON repeats the password."""

    def is_ajax(self, request: HttpRequest) -> bool:
        return is_program(request)

    def ajax_response(
        self,
        request: HttpRequest,
        response: HttpResponse,
        redirect_to: str | None = None,
        form: BaseForm | None = None,
        data: Any = None,
    ) -> HttpResponse:
        if response.status_code >= HTTPStatus.BAD_REQUEST:  # Refused after the form was validated.
            return response
        if form is None or request.method != "POST" or form.is_valid():
            shown = form if request.method != "POST" else None
            answer: HttpResponse = super().ajax_response(
                request, response, redirect_to=redirect_to, form=shown, data=data
            )
            return answer
        errors = {name: list(messages) for name, messages in form.errors.items()}
        return ProblemResponse(
            status=HTTPStatus.BAD_REQUEST,
            code="invalid",
            message=_("The request is not valid."),
            errors=errors,
        )
