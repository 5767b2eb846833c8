"""Admin forms take amounts and percent, never minor units or basis points."""

import pytest
from django import forms
from django.contrib import admin

from tests.builders.staff.acts import boss

pytestmark = pytest.mark.django_db


def test_no_form_has_fields_in_minor_units_or_basis_points(rf):
    request = rf.get("/")
    request.user = boss()
    asked = {
        f"{model._meta.label}.{name}": field
        for model, page in admin.site._registry.items()
        if page.has_add_permission(request) or page.has_change_permission(request)
        for name, field in page.get_form(request).base_fields.items()
    }

    raw = [
        name
        for name, field in asked.items()
        if isinstance(field, forms.IntegerField)
        and not isinstance(field, forms.DecimalField)
        and name.endswith(("_minor", "bps"))
    ]

    assert len(asked) > 80
    assert raw == []
