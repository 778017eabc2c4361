from rest_framework import serializers

from .models import Appointment, Doctor, Prescription


class DoctorSerializer(serializers.ModelSerializer):
    class Meta:
        model = Doctor
        fields = ["id", "name"]


class AppointmentSerializer(serializers.ModelSerializer):
    doctor = DoctorSerializer(read_only=True)
    doctor_id = serializers.PrimaryKeyRelatedField(
        queryset=Doctor.objects.all(), source="doctor", write_only=True
    )
    ward = serializers.CharField(source="doctor.ward", read_only=True)

    class Meta:
        model = Appointment
        fields = ("id", "doctor", "doctor_id", "ward", "patient", "day")

    def validate(self, attrs):
        if attrs["doctor"].ward == "closed":
            raise serializers.ValidationError({"doctor": "ward is closed"})
        return attrs


class PrescriptionSerializer(serializers.ModelSerializer):
    class Meta:
        model = Prescription
        fields = ("id", "doctor", "drug")
        extra_kwargs = {"doctor": {"required": False}}

    def create(self, validated_data):
        appointment = validated_data["appointment"]
        validated_data.setdefault("doctor", appointment.doctor)
        return super().create(validated_data)
