"""Forms of the back office and of the customer's account pages."""
from django import forms

from shop.models import Customer, Order, OrderLine, Product, Supplier


class CustomerForm(forms.ModelForm):
    email = forms.EmailField(label="Email", help_text="We never share your email.")

    class Meta:
        model = Customer
        fields = ["name", "email", "phone", "street", "city"]
        widgets = {
            "email": forms.EmailInput(attrs={"class": "email wide"}),
        }

    def clean_email(self):
        email = self.cleaned_data["email"].lower()
        clash = Customer.objects.filter(email=email)
        if self.instance.pk:
            clash = clash.exclude(pk=self.instance.pk)
        if clash.exists():
            raise forms.ValidationError("There is already an account with this email.")
        return email


class SupplierForm(forms.ModelForm):
    class Meta:
        model = Supplier
        fields = ["name", "email", "phone"]

    def clean_email(self):
        return self.cleaned_data["email"].strip()


class ProductForm(forms.ModelForm):
    class Meta:
        model = Product
        fields = ("sku", "name", "supplier", "price", "weight", "stock")
        labels = {"price": "Net price", "stock": "Pieces in stock"}

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.fields["price"].widget.attrs["class"] = "price"
        if self.instance.pk:
            # the stock may only be changed by movements
            self.fields["stock"].disabled = True

    def clean_price(self):
        price = self.cleaned_data["price"]
        if price <= 0:
            raise forms.ValidationError("A price must be positive.")
        return price

    def clean(self):
        data = super().clean()
        if data.get("weight") == 0:
            self.add_error("weight", "Please weigh the product.")
        return data


class OrderSearchForm(forms.Form):
    """Plain form: its names are those of the query string."""

    status = forms.ChoiceField(choices=Order.Status.choices, required=False)
    reference = forms.CharField(required=False)
    email = forms.CharField(required=False)

    def apply(self, queryset):
        data = self.cleaned_data
        if data["status"]:
            queryset = queryset.filter(status=data["status"])
        if data["reference"]:
            queryset = queryset.filter(reference__icontains=data["reference"])
        if data["email"]:
            queryset = queryset.filter(customer__email__icontains=data["email"])
        return queryset


LineFormSet = forms.inlineformset_factory(
    Order, OrderLine, fields=["product", "quantity", "price"], extra=1
)
