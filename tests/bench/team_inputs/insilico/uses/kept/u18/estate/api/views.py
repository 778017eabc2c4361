from django.db.models import Count, OuterRef, Subquery
from rest_framework import generics
from rest_framework.decorators import api_view
from rest_framework.response import Response

from estate.models import Agent, Listing, Visit

from .filters import AgentFilter, ListingFilter
from .serializers import AgentSerializer, ListingSerializer


class Listings(generics.ListCreateAPIView):
    queryset = Listing.objects.select_related("agent").order_by("city", "rent")
    serializer_class = ListingSerializer
    filterset_class = ListingFilter
    search_fields = ("title", "=city", "agent__city")


class Agents(generics.ListAPIView):
    serializer_class = AgentSerializer
    filterset_class = AgentFilter

    def get_queryset(self):
        return Agent.objects.annotate(
            first_town=Subquery(
                Listing.objects.filter(agent=OuterRef("pk")).values("city")[:1]
            )
        ).order_by("city")


@api_view(["GET"])
def per_city(request):
    rows = Listing.objects.values("city").annotate(n=Count("id"))
    agents = Agent.objects.values("city").annotate(n=Count("id"))
    return Response({
        "listings": {row["city"]: row["n"] for row in rows},
        "agents": {row["city"]: row["n"] for row in agents},
    })


@api_view(["GET"])
def visits(request, city):
    found = Visit.objects.filter(listing__city__iexact=city)
    return Response([str(v) for v in found.only("at", "listing__city")])
