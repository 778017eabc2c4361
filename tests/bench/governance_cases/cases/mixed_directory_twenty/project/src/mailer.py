def send(member, smtp):
    print(f"mail to {member.email}")
    smtp.send(member.email)
