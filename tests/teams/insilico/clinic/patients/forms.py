"""Forms of the reception."""

from django import forms

from patients.models import Doctor, Patient


class PatientForm(forms.ModelForm):
    phone = forms.RegexField(r"^[0-9-]+$", required=False)

    class Meta:
        model = Patient
        fields = ["name", "birth_date", "phone", "status"]
        widgets = {"birth_date": forms.DateInput(attrs={"type": "date"})}
        labels = {"status": "Status of the file", "phone": "Phone"}

    def clean_birth_date(self):
        birth_date = self.cleaned_data["birth_date"]
        if birth_date and birth_date.year < 1900:
            raise forms.ValidationError("birth_date is too long ago")
        return birth_date

    def clean(self):
        cleaned = super().clean()
        if cleaned.get("status") == "closed" and not cleaned.get("phone"):
            self.add_error("phone", "a closed file needs a phone")
        return cleaned


class DoctorForm(forms.ModelForm):
    class Meta:
        model = Doctor
        fields = ["name", "phone", "status"]


class HealthForm(forms.Form):
    """Asks for the status of the service, which is no patient's."""

    status = forms.CharField()
    phone = forms.CharField(required=False)
