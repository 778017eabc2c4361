"""What reads and tells languages: YAML, examples, a request's language and its restrictions."""

from typing import TYPE_CHECKING

from minerva_observability.lazy import lazy_names

if TYPE_CHECKING:
    from minerva_platform.text.example_file import read_examples as read_examples
    from minerva_platform.text.language_detection import (
        Language as Language,
        language_of as language_of,
    )
    from minerva_platform.text.restrictions import (
        RESTRICTION_KINDS as RESTRICTION_KINDS,
        Restriction as Restriction,
        restrictions_in as restrictions_in,
        without_restrictions as without_restrictions,
    )
    from minerva_platform.text.yaml_file import (
        YamlFile as YamlFile,
        read_yaml as read_yaml,
    )
else:
    __all__, __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "text.example_file": "read_examples",
            "text.language_detection": "Language language_of",
            "text.restrictions": (
                "RESTRICTION_KINDS Restriction restrictions_in without_restrictions"
            ),
            "text.yaml_file": "YamlFile read_yaml",
        },
    )
