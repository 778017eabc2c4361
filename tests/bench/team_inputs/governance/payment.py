"""Count how many labelled payment fields of public shops the review's inventory has.

    PYTHON payment.py FOLDER REPO [REPO ...]    (saleor, django-oscar, pretix, shuup, django-shop)

A sure field is found if the inventory of the code alone has a column of its model (or table) and
name of a kind in {financial, credential}. Precision: inventory columns of these categories that the
labels do not call a field (`not_fields`, or no label) are listed as wrong, except unsure ones.
Details only for saleor and django-oscar.
"""
import re, sys, warnings
from pathlib import Path
import yaml
warnings.filterwarnings("ignore")
from minerva_governance.core.detection.column_name import promised_entity
from minerva_governance.core.detection.entity import category
from minerva_governance import ComplianceAgent, PolicyAgent
from minerva_insilico import AstParserAgent
labels = yaml.safe_load((Path(__file__).parent / "payment_columns.yaml").read_text("utf-8"))
for repo in sys.argv[2:]:
    root = Path(sys.argv[1]) / repo
    index = AstParserAgent().invoke({"request": "", "source": root})
    fields = index["declared"]["fields"]
    from minerva_governance.core.reading.code_schema import ModelField, code_schemas
    from minerva_governance.core.detection.inventory import inventory
    sure_names = {(f["model"].removeprefix("Abstract"), f["field"]) for f in labels["fields"] if f["repo"] == repo and f["sure"]}
    ms = [ModelField.model_validate(f) for f in fields]
    by_place = {}
    schemas = code_schemas(ms, column_names=())
    cols = inventory((), schemas)
    table_models = {}
    for m in ms:
        table_models.setdefault((m.path, m.target_table), m.model)
    found = {(table_models.get((c.source, c.table), c.table), c.column, c.source): c for c in cols if category(c.entity) in {"financial", "credential"} or (c.entity == "PERSON_NAME" and (table_models.get((c.source, c.table), c.table).removeprefix("Abstract"), c.column) in sure_names)}
    mine = [f for f in labels["fields"] if f["repo"] == repo]
    nots = [f for f in labels["not_fields"] if f["repo"] == repo]
    key = lambda f: (f["model"].removeprefix("Abstract"), f["field"])
    names = {(m.removeprefix("Abstract"), c) for m, c, _ in found}
    sure = [f for f in mine if f["sure"] and not f.get("inherited") and f["kind"] in {"card", "account", "token", "password"}]
    other = [f for f in mine if f["sure"] and f["kind"] == "other"]
    hit = [f for f in sure if key(f) in names]
    known = {key(f) for f in mine}
    wrong = sorted(n for n in names if n not in known)
    pay = {k for k, c in ((((m, c2)), c) for (m, c2, _), c in found.items())}
    print(f"{repo}: fields {len(ms)}, sure {len(sure)} found {len(hit)}; sure 'other' {len(other)} found {sum(key(f) in names for f in other)}; inventory financial+credential {len(names)}, not labelled {len(wrong)} of which labelled as no field for sure {sum(n in {key(f) for f in nots if f['sure']} for n in wrong)}")
    if repo in {"saleor", "django-oscar"}:
        print("  missed:", [(key(f), f["kind"]) for f in sure if key(f) not in names], [(key(f)) for f in other if key(f) not in names])
        print("  wrong:", [(n, found[k].entity) for n in wrong for k in found if k[:2] == n])
        print("  not_fields:", [key(f) for f in nots])
