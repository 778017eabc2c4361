from rest_framework import serializers

from estate.models import Agent, Listing, Visit


class AgentSerializer(serializers.ModelSerializer):
    class Meta:
        model = Agent
        fields = ["name", "city"]


class ListingSerializer(serializers.ModelSerializer):
    agent = AgentSerializer(read_only=True)
    place = serializers.CharField(source="city")
    agent_city = serializers.CharField(source="agent.city", read_only=True)

    class Meta:
        model = Listing
        fields = ["title", "place", "rent", "agent", "agent_city"]
        read_only_fields = fields

    def validate(self, attrs):
        if not attrs["city"].istitle():
            raise serializers.ValidationError({"place": "capital, please"})
        return attrs

    def create(self, validated_data):
        validated_data["city"] = validated_data["city"].strip()
        return super().create(validated_data)


class ShortListingSerializer(serializers.ModelSerializer):
    class Meta:
        model = Listing
        fields = ("id", "city")

    def to_representation(self, instance):
        data = super().to_representation(instance)
        data["city"] = data["city"].upper()
        return data


class VisitSerializer(serializers.ModelSerializer):
    where = serializers.ReadOnlyField(source="listing.city")

    class Meta:
        model = Visit
        fields = "__all__"
