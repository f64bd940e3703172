"""What is counted, where, and for which part of the price: public facts alone."""
