"""What a census release will cost and how far it will be off, before anything is charged: public facts alone."""
