"""The pages of the wallet, gathered from its rooms."""

from wallet.cashier import urls as cashier
from wallet.statements import urls as statements
from wallet.tax import urls as tax

urlpatterns = [*statements.urlpatterns, *tax.urlpatterns, *cashier.urlpatterns]
