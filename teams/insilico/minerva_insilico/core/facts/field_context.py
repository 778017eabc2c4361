"""The places where a framework takes the name of a field as text.

The names are Django's, Django REST framework's and SQLAlchemy's, of which applications are made
whose columns get renamed: `order_by("-f")`, `F("f")`, `fields = ["f"]`, `list_display = ("f",)`.
"""

import ast
from typing import Final

NAMED_BY_CALL: Final = frozenset(
    "F OuterRef Sum Count Avg Min Max StdDev Variance Lower Upper Coalesce Concat Cast Length"
    " Trim Prefetch OrderBy Greatest Least ArrayAgg StringAgg JSONBAgg SearchVector Index"
    " UniqueConstraint TruncDate TruncDay TruncMonth TruncYear ExtractDay ExtractMonth"
    " ExtractYear NullIf Extract add_error attrgetter get_field has_error in_bulk values"
    " values_list order_by only defer select_related prefetch_related distinct dates datetimes"
    " latest earliest alatest aearliest load_only joinedload selectinload subqueryload"
    " mapped_column Column groupby set_index sort_values".split()
)
"""Calls whose text arguments are names of fields."""

AROUND_EXPRESSIONS: Final = frozenset(
    "acreate acount aget aggregate alias annotate bulk_create create exclude filter filter_by get"
    " get_or_create having order_by update update_or_create where When Case Q Func Subquery Exists"
    " Window CheckConstraint aupdate values values_list only defer raw extra bulk_update".split()
)
"""Calls whose keywords and inner expressions name fields of the object they are called on."""

NAMES_RESULT: Final = frozenset({"aggregate", "alias", "annotate"})
"""Calls whose keywords name a new value, not an existing field."""

KEYWORDS: Final = frozenset(
    "create_defaults db_column defaults field_name fields include left_on order_by"
    " order_with_respect_to ordering right_on source subset to_field unique_fields unique_for_date"
    " update_fields".split()
)
"""Keyword arguments whose text is the name of a field in any call."""

LISTS: Final = frozenset(
    "autocomplete_fields constraints date_hierarchy error_messages exclude extra_kwargs"
    " field_classes fields fieldsets filter_fields filter_horizontal filter_vertical"
    " filterset_fields formfield_overrides get_latest_by help_texts index_together indexes labels"
    " list_display list_display_links list_editable list_filter list_select_related lookup_field"
    " order_with_respect_to ordering ordering_fields prepopulated_fields radio_fields"
    " raw_id_fields read_only_fields readonly_fields search_fields slug_field sortable_by"
    " unique_together widgets write_only_fields REQUIRED_FIELDS USERNAME_FIELD EMAIL_FIELD".split()
)
"""Attributes of classes which list fields."""

MIGRATIONS: Final = frozenset(
    "AddField AlterField RemoveField RenameField CreateModel AddIndex AlterUniqueTogether"
    " AlterIndexTogether AddConstraint AlterOrderWithRespectTo".split()
)
_OF_A_WHOLE_MODEL: Final = frozenset(
    "AlterIndexTogether AlterOrderWithRespectTo AlterUniqueTogether CreateModel".split()
)
LISTED_SECOND: Final = frozenset({"bulk_update"})
"""Calls whose second argument lists fields of the object they are called on."""

GETTERS: Final = frozenset(
    "aget_list_or_404 aget_object_or_404 get_list_or_404 get_object_or_404".split()
)
"""Calls whose keywords name fields of their first argument."""

NAMES_FIELD: Final = frozenset({"order", "order_by", "ordering", "sort", "sort_by"})
"""Keys of a request whose value is a field's name."""

NAME_LISTS: Final = frozenset(
    "_errors changed_data changed_fields dirty_fields errors fields update_fields".split()
)
"""Collections that are searched for a field's name: `"f" in form.changed_data`."""

ADDRESSES: Final = frozenset(
    "path re_path url reverse reverse_lazy redirect resolve_url render include template_name"
    " gettext gettext_lazy ngettext pgettext _".split()
)
"""Calls whose text names an address, a template or a message: no field."""

LOOKUPS: Final = frozenset(
    "contains date day endswith exact gt gte hour icontains iendswith iexact in iregex isnull"
    " iso_year istartswith length lt lte minute month quarter range regex second search startswith"
    " time trigram_similar unaccent week week_day year".split()
)
"""Words that may follow the last `__` without being a field."""

RELATIONS: Final = frozenset({"ForeignKey", "ManyToManyField", "OneToOneField", "relationship"})
COLUMN_RELATIONS: Final = frozenset({"ForeignKey", "OneToOneField"})


def split_lookup(text: str) -> list[str]:
    """Return the fields of `patient__status__in`, without the lookup at its end."""
    parts = text.split("__")
    while len(parts) > 1 and parts[-1] in LOOKUPS:
        parts.pop()
    return parts


def model_of_migration(node: ast.Call) -> str | None:
    """Return the model of an operation of a migration, or None if it is none."""
    function = node.func
    if not isinstance(function, ast.Attribute) or function.attr not in MIGRATIONS:
        return None
    values: dict[str | None, ast.expr] = {item.arg: item.value for item in node.keywords}
    named = values.get("model_name") or (
        values.get("name") if function.attr in _OF_A_WHOLE_MODEL else None
    )
    if named is None and node.args:
        named = node.args[0]
    text = named.value if isinstance(named, ast.Constant) else None
    return text if isinstance(text, str) else ""
