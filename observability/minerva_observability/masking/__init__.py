"""Keep secrets and a person's words out of records and logs."""

from typing import TYPE_CHECKING

from minerva_observability.lazy import lazy_names

if TYPE_CHECKING:
    from minerva_observability.masking.hidden_values import HiddenValues as HiddenValues
    from minerva_observability.masking.masking import (
        Masking as Masking,
        text_to_sha256 as text_to_sha256,
    )
    from minerva_observability.masking.personal_patterns import (
        personal_intervals as personal_intervals,
    )
else:
    __all__, __getattr__, __dir__ = lazy_names(__name__)
