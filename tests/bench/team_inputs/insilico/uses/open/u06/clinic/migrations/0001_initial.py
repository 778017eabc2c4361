from django.db import migrations, models


class Migration(migrations.Migration):
    operations = [
        migrations.AddField("appointment", "doctor", models.ForeignKey("clinic.Doctor", models.PROTECT)),
    ]
