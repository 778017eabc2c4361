"""The effects of one run, as the process that works on it knows them."""

from collections.abc import Iterable

from minerva_platform.contract.values import Effect


class EffectLog:
    """What the run did to the world, by keys; any OS thread may note something."""

    def __init__(self) -> None:
        self._by_key: dict[str, Effect] = {}
        self.suspected: frozenset[str] = frozenset()
        """Names of effects that ask a person first, if the conversation has done such a one."""

    def note(self, *effects: Effect) -> None:
        """Take note of effects, or of what became of them."""
        for effect in effects:
            self._by_key[effect.key] = effect

    def all(self) -> tuple[Effect, ...]:
        """Return every effect, in the order of the beginnings."""
        return tuple(self._by_key.values())

    def of(self, path: str) -> tuple[Effect, ...]:
        """Return the effects of the call at `path`, and of the calls below it."""
        return tuple(effect for effect in self.all() if f"{effect.path}/".startswith(f"{path}/"))


def happened(effects: Iterable[Effect]) -> bool:
    """True if one of `effects` was done, or may have been."""
    return any(effect.outcome != "failed" for effect in effects)
