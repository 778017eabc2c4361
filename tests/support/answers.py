"""What an answer says first, of what its run did to the world, and what its members say."""

OPENINGS = (
    "Done: ",
    "Nobody knows whether it was done: ",
    "Not done: ",
    "한 일: ",
    "했는지 알 수 없는 일: ",
    "하지 못한 일: ",
)
"""How the paragraph of effects begins."""


def without_effects(answer: str) -> str:
    """Return the words after the paragraph of effects, which has to be there."""
    told, _, words = answer.partition("\n\n")
    assert told.startswith(OPENINGS), answer
    return words
