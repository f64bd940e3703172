"""The local model: statistics of people who do not trust the collector. Each randomises on their own device."""
