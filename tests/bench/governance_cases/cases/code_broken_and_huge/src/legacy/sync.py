# still run by the nightly job
import db

def sync():
    for m in db.members():
        print "syncing", m.name, m.resident_no
        db.push(m)
