from .trace import traced

__all__ = ["traced"]
