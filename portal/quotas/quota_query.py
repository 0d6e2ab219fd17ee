"""The filter of lists of quotas, limits and budgets."""

from portal.common.rest.serializers import IdField, QuerySerializer


class QuotaQuery(QuerySerializer):
    """Filters of the list of quotas."""

    group = IdField(required=False)
