#!/bin/sh
# resend last receipts
psql -At -c "select email, phone from rider where receipt is null" | tee -a /var/log/resend.log
