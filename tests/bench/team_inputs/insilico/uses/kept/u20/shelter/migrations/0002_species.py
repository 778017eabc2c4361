from django.db import migrations


def fill(apps, schema_editor):
    apps.get_model("shelter", "Pet").objects.update(species="cat")


class Migration(migrations.Migration):
    dependencies = [("shelter", "0001_initial")]
    operations = [migrations.RunPython(fill)]
