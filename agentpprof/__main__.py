"""Run the command line as `python -m agentpprof`."""

from agentpprof.start import main

if __name__ == "__main__":
    main()
