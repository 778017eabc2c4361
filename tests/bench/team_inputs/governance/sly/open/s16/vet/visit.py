from vet.out import channel

say = channel()


def arrive(owner_name, owner_phone, animal):
    say(f"{animal} of {owner_name} ({owner_phone}) is here")
    return {"animal": animal, "owner": owner_name}
