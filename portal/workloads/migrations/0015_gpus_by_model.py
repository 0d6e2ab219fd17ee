"""What live allocations hold of each model, for quotas of one model."""

from collections import Counter, defaultdict

from django.db import migrations

from portal.inventory.gpu_models import model_name


def count_by_model(apps, _):
    """Split the GPUs of every live allocation by the models of its cards."""
    devices = apps.get_model("workloads", "AllocationDevice").objects.filter(released_at=None)
    cards = defaultdict(dict)
    for allocation, card, model in devices.values_list(
        "allocation", "accelerator", "accelerator__model"
    ):
        cards[allocation][card] = model_name(model)
    allocations = apps.get_model("workloads", "Allocation").objects
    for allocation in allocations.filter(pk__in=list(cards)):
        models = cards[allocation.pk].values()
        found = Counter()
        for model in models:
            found[model] += allocation.total_gpu_milli // len(models)
        allocations.filter(pk=allocation.pk).update(gpu_milli_by_model=found)


class Migration(migrations.Migration):

    dependencies = [("workloads", "0014_choice_of_gpus")]

    operations = [migrations.RunPython(count_by_model, migrations.RunPython.noop)]
