"""Readers of files that strangers wrote: texts, tables, schemas and lists of libraries.

Nothing of a file is run, and each reader has its bounds. Names are loaded when they are used, so
that a program pays for the formats that it reads.
"""

from typing import TYPE_CHECKING

from minerva_observability.lazy import lazy_names

if TYPE_CHECKING:
    from minerva_reading.ddl.ties import read_ties as read_ties
    from minerva_reading.identifier import fold as fold, folds_case as folds_case
    from minerva_reading.manifests.declarations import (
        MAIN_GROUP as MAIN_GROUP,
        DeclarationProblem as DeclarationProblem,
        read_declarations as read_declarations,
    )
    from minerva_reading.manifests.manifest import Ecosystem as Ecosystem, Manifest as Manifest
    from minerva_reading.manifests.manifest_reader import (
        is_unread_manifest as is_unread_manifest,
        manifest_kind as manifest_kind,
        read_manifests as read_manifests,
    )
    from minerva_reading.schema import (
        LITERALS as LITERALS,
        Cells as Cells,
        Dependent as Dependent,
        InsertedRows as InsertedRows,
        Schema as Schema,
        SchemaColumn as SchemaColumn,
        SchemaFault as SchemaFault,
        SchemaTable as SchemaTable,
        Ties as Ties,
    )
    from minerva_reading.schema_reader import read_schema as read_schema
    from minerva_reading.tables.sheet import Sheet as Sheet, open_sheets as open_sheets
    from minerva_reading.tables.table import (
        DELIMITERS as DELIMITERS,
        Table as Table,
        open_tables as open_tables,
        read_records as read_records,
    )
    from minerva_reading.text_file import (
        Text as Text,
        check_encoding as check_encoding,
        encoding_of as encoding_of,
        find_encoding as find_encoding,
        other_encodings as other_encodings,
        read_text as read_text,
    )
    from minerva_reading.unreadable import (
        FileFault as FileFault,
        UnreadableError as UnreadableError,
        not_opened as not_opened,
    )
else:
    __all__, __getattr__, __dir__ = lazy_names(__name__)
