from dataclasses import dataclass


@dataclass
class Episode:
    ref: str
    who: "Person"


@dataclass
class Person:
    given_name: str
    family_name: str
    date_of_birth: str
    mobile: str
