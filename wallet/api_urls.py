"""The wallet's part of the API, gathered from its rooms."""

from wallet.cashier import urls as cashier
from wallet.statements import urls as statements
from wallet.tax import urls as tax

urlpatterns = [*statements.api_urlpatterns, *tax.api_urlpatterns, *cashier.api_urlpatterns]
