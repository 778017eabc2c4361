from django.db import migrations, models


class Migration(migrations.Migration):
    operations = [
        migrations.AlterField("device", "serial", models.CharField(max_length=40, unique=True)),
    ]
