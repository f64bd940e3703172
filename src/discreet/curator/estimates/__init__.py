"""From released numbers to an answer: values and the intervals around them."""
