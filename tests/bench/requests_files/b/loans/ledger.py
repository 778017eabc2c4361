ENTRIES = []
OVERDUE = "SELECT CUSTNO, CELLPHONE, CUST_GRD FROM LN_ACCT WHERE OVERDUE_FLAG = 'Y' AND BRANCH_CD = ?"

def post_entry(account, amount):
    ENTRIES.append((account, amount))

def overdue(connection, branch):
    return [row for row in connection.execute(OVERDUE, (branch,))]
