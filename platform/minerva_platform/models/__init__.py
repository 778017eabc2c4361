"""Models behind their guard, and the fallback of a worker without one."""

from typing import TYPE_CHECKING

from minerva_observability.lazy import lazy_names

if TYPE_CHECKING:
    from minerva_platform.config.model_spec import ModelSpec as ModelSpec
    from minerva_platform.models.fallback import RefusedAnswerError as RefusedAnswerError
    from minerva_platform.models.model import Model as Model
else:
    __all__, __getattr__, __dir__ = lazy_names(__name__)
