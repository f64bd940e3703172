"""`python -m discreet` is the program `discreet`."""

from discreet.cli import main

if __name__ == "__main__":
    main()
