class BadApplicant(Exception):
    pass


def verify(applicant):
    number = applicant["rrn"].replace("-", "")
    if len(number) != 13:
        raise BadApplicant("cannot use " + number)
    return int(number[6]) in (1, 2, 3, 4)
