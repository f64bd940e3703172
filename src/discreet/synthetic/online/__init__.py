"""Questions that arrive one by one: answered from earlier releases, or from a noisy histogram that is bought once."""
