from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("jobs", "0003_alter_job_kind"),
    ]

    operations = [
        migrations.AddField(
            model_name="job",
            name="cancelled_by",
            field=models.CharField(
                blank=True,
                choices=[("modeler", "Modeler"), ("regulator", "Regulator")],
                max_length=10,
            ),
        ),
    ]
