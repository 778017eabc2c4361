import argparse

from freight.io import read
from freight.shipment import Parcel, Shipment
from freight.truck import Truck


def main(argv=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("path")
    parser.add_argument("--weight", type=float, default=0)
    args = parser.parse_args(argv)
    truck = Truck("B-AB 1", read(args.path))
    wanted = [s for s in truck.shipments if s.weight >= args.weight]
    for shipment in wanted:
        print(shipment.number, f"{shipment.weight:.1f}")
        for parcel in shipment.parcels:
            print("   ", parcel.code, parcel.weight)
    extra = Shipment("X", 12.5, [Parcel(12.5)])
    print(getattr(extra, "weight", None))


if __name__ == "__main__":
    main()
