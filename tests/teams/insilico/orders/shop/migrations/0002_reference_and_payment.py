import django.db.models.deletion
from django.db import migrations, models


def fill_reference(apps, schema_editor):
    Order = apps.get_model("shop", "Order")
    for order in Order.objects.filter(reference=""):
        order.reference = f"O-{order.pk:06d}"
        order.save(update_fields=["reference"])
    # cancelled used to be written with one l in status
    schema_editor.execute("UPDATE shop_order SET status = 'cancelled' WHERE status = 'canceled'")


class Migration(migrations.Migration):
    dependencies = [("shop", "0001_initial")]

    operations = [
        migrations.AddField(
            model_name="order",
            name="reference",
            field=models.CharField(db_index=True, default="", max_length=20),
            preserve_default=False,
        ),
        migrations.RenameField(model_name="product", old_name="grams", new_name="weight"),
        migrations.AlterField(
            model_name="order",
            name="status",
            field=models.CharField(default="open", max_length=12),
        ),
        migrations.CreateModel(
            name="Payment",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("reference", models.CharField(max_length=64, unique=True)),
                ("status", models.CharField(default="new", max_length=10)),
                ("amount", models.DecimalField(decimal_places=2, max_digits=10)),
                ("order", models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, to="shop.order")),
            ],
        ),
        migrations.AlterField(
            model_name="payment",
            name="status",
            field=models.CharField(default="pending", max_length=10),
        ),
        migrations.RunPython(fill_reference, migrations.RunPython.noop),
        migrations.AlterUniqueTogether(
            name="order",
            unique_together={("customer", "reference")},
        ),
        migrations.AddIndex(
            model_name="order",
            index=models.Index(fields=["status", "placed_at"], name="order_status_placed"),
        ),
    ]
