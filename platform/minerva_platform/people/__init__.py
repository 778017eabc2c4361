"""What is asked of people: questions, their forms, and decisions about them."""
