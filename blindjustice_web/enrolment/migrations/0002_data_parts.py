"""Data files arrive in parts; a file from before came whole, so its size and digest say nothing."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("enrolment", "0001_initial"),
    ]

    operations = [
        migrations.AddField(
            model_name="dataupload",
            name="digest",
            field=models.CharField(default="", max_length=64),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name="dataupload",
            name="size_bytes",
            field=models.PositiveIntegerField(default=0),
            preserve_default=False,
        ),
        migrations.AlterField(
            model_name="dataupload",
            name="state",
            field=models.CharField(
                choices=[
                    ("ARRIVING", "Arriving"),
                    ("RECEIVED", "Received"),
                    ("ACCEPTED", "Accepted"),
                    ("REFUSED", "Refused"),
                ],
                default="ARRIVING",
                max_length=10,
            ),
        ),
        migrations.CreateModel(
            name="DataPart",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                ("content", models.BinaryField()),
                (
                    "upload",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="parts",
                        to="enrolment.dataupload",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("upload", "number"), name="one_piece_per_number"
                    )
                ],
            },
        ),
    ]
