from django import forms

from .models import Room, Shuttle


class RoomForm(forms.ModelForm):
    class Meta:
        model = Room
        fields = ["building", "number", "capacity"]
        widgets = {"capacity": forms.NumberInput(attrs={"min": 1})}
        labels = {"capacity": "Seats"}

    def clean_capacity(self):
        value = self.cleaned_data["capacity"]
        if value % 2:
            raise forms.ValidationError("even numbers only")
        return value


class ShuttleForm(forms.ModelForm):
    class Meta:
        model = Shuttle
        fields = ["plate", "capacity"]

    def clean_capacity(self):
        return min(self.cleaned_data["capacity"], 50)


class SearchForm(forms.Form):
    capacity = forms.IntegerField(required=False)
