"""What is shown to a person: answers and the receipts of what they cost."""
