def plan(weight_kg, goal):
    """Sessions a week and minutes of each."""
    sessions = 3 if goal == "lose" else 2
    minutes = 45 if weight_kg > 90 else 60
    return sessions, minutes


def main(conn):
    plans = {}
    for member_no, weight_kg in conn.execute("SELECT member_no, weight_kg FROM member"):
        plans[member_no] = plan(weight_kg, "lose")
    print("plans made:", len(plans))
    return plans
