"""Text tools for all rooms and teams: languages, texts and words, Markdown, CSV, YAML."""

from typing import TYPE_CHECKING

from minerva_observability.lazy import lazy_names

if TYPE_CHECKING:
    from minerva_platform.text.csv_cells import (
        csv_cell as csv_cell,
        csv_cell_back as csv_cell_back,
        csv_text as csv_text,
        write_csv as write_csv,
    )
    from minerva_platform.text.encoding import (
        UndecodableError as UndecodableError,
        encoding_of as encoding_of,
    )
    from minerva_platform.text.example_file import read_examples as read_examples
    from minerva_platform.text.grammar import is_mere_name as is_mere_name
    from minerva_platform.text.language import (
        Language as Language,
        has_hangul as has_hangul,
        locale_language as locale_language,
    )
    from minerva_platform.text.language_detection import language_of as language_of
    from minerva_platform.text.markdown import (
        code_span as code_span,
        escaped as escaped,
        markdown_table as markdown_table,
    )
    from minerva_platform.text.personal_data import (
        check_digits as check_digits,
        masked as masked,
        masked_name as masked_name,
        masked_names as masked_names,
        masked_path as masked_path,
        real_path as real_path,
    )
    from minerva_platform.text.restrictions import (
        RESTRICTION_KINDS as RESTRICTION_KINDS,
        Restriction as Restriction,
        restrictions_in as restrictions_in,
        without_restrictions as without_restrictions,
    )
    from minerva_platform.text.texts import Texts as Texts, read_texts as read_texts
    from minerva_platform.text.words import Words as Words, read_words as read_words
    from minerva_platform.text.yaml_file import YamlFile as YamlFile, read_yaml as read_yaml
else:
    __all__, __getattr__, __dir__ = lazy_names(__name__)
