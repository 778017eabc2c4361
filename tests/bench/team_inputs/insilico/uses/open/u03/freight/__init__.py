from .shipment import Parcel, Shipment

__all__ = ["Parcel", "Shipment"]
