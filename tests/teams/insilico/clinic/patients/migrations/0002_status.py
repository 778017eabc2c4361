from django.db import migrations, models


def fill(apps, schema_editor):
    Patient = apps.get_model("patients", "Patient")
    Patient.objects.filter(birth_date__isnull=True).update(status="closed")


class Migration(migrations.Migration):
    dependencies = [("patients", "0001_initial")]

    operations = [
        migrations.AddField(
            model_name="patient",
            name="status",
            field=models.CharField(default="active", max_length=10),
        ),
        migrations.AddField(
            model_name="doctor",
            name="status",
            field=models.CharField(default="present", max_length=10),
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
        migrations.RunSQL("CREATE INDEX patient_birth ON tb_patient (birth_date)"),
    ]
