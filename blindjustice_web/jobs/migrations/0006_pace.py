"""Where the pace of a run's attempt is told from."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("jobs", "0005_line_report"),
    ]

    operations = [
        migrations.AddField(
            model_name="job",
            name="paced_at",
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name="job",
            name="paced_from",
            field=models.PositiveBigIntegerField(default=0),
        ),
    ]
