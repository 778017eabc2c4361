from django_filters import CharFilter, FilterSet, OrderingFilter

from estate.models import Agent, Listing, Visit


class ListingFilter(FilterSet):
    town = CharFilter(field_name="city", lookup_expr="iexact")
    o = OrderingFilter(fields={"rent": "rent", "city": "town"})

    class Meta:
        model = Listing
        fields = {"rent": ["lt"], "city": ["exact", "in"]}


class VisitFilter(FilterSet):
    class Meta:
        model = Visit
        fields = ["listing__city", "listing__agent__city"]


class AgentFilter(FilterSet):
    city = CharFilter(method="in_city")

    class Meta:
        model = Agent
        fields = ["city"]

    def in_city(self, queryset, name, value):
        return queryset.filter(listings__city=value).distinct()
