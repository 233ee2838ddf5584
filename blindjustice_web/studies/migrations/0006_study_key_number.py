from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("studies", "0005_list_indexes"),
    ]

    operations = [
        migrations.AddField(
            model_name="studykey",
            name="number",
            field=models.PositiveIntegerField(default=1),
            preserve_default=False,
        ),
        migrations.RemoveField(
            model_name="studykey",
            name="sent_at",
        ),
    ]
