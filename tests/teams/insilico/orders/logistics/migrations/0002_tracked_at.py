from django.db import migrations, models

BACKFILL = """
    UPDATE logistics_shipment
       SET tracked_at = updated_at
     WHERE tracked_at IS NULL
       AND status = 'delivered'
"""


class Migration(migrations.Migration):
    dependencies = [("logistics", "0001_initial"), ("shop", "0002_reference_and_payment")]

    operations = [
        migrations.RenameField(
            model_name="shipment",
            old_name="last_scan",
            new_name="tracked_at",
        ),
        migrations.AddField(
            model_name="parcel",
            name="tracked_at",
            field=models.DateTimeField(null=True),
        ),
        migrations.AlterField(
            model_name="shipment",
            name="tracked_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.RenameField(model_name="parcel", old_name="grams", new_name="weight"),
        migrations.RunSQL(BACKFILL, migrations.RunSQL.noop),
    ]
