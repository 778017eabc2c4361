# -*- coding: utf-8 -*-
# still run by python2.7 on the old host
import sys


def report(rows):
    for user in rows:
        if user.active:
            print "sent to", user.email, user.resident_number
        else:
            print >>sys.stderr, "skipped %s" % user.phone
    try:
        rows.close()
    except IOError, e:
        print e
