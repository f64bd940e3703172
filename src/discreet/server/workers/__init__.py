"""Worker processes: they hold the curator and its tables; the process with the doors never sees a private row."""
