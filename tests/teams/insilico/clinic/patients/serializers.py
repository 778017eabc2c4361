"""What the API shows."""

from rest_framework import serializers

from patients.models import Doctor, Patient, Visit


class DoctorSerializer(serializers.ModelSerializer):
    class Meta:
        model = Doctor
        fields = ["id", "name", "phone", "status"]


class PatientSerializer(serializers.ModelSerializer):
    born = serializers.DateField(source="birth_date")
    is_open = serializers.SerializerMethodField()

    class Meta:
        model = Patient
        fields = ["id", "name", "born", "phone", "status", "is_open"]
        read_only_fields = ["status"]
        extra_kwargs = {"phone": {"required": False}}

    def get_is_open(self, patient):
        return patient.status == "active"

    def validate_phone(self, value):
        return value.replace(" ", "")

    def create(self, validated_data):
        validated_data.setdefault("status", "active")
        return Patient.objects.create(**validated_data)


class VisitSerializer(serializers.ModelSerializer):
    patient_status = serializers.CharField(source="patient.status", read_only=True)
    doctor_id = serializers.IntegerField()

    class Meta:
        model = Visit
        fields = ["id", "patient_status", "doctor_id", "started_at", "ended_at"]
