"""What holds where nobody says otherwise, each value once; it imports nothing."""

from typing import Final

DATABASE_VARIABLE: Final = "AGENTPPROF_DB"  # names the database in the environment
DEFAULT_PATH_DEPTH: Final = 2  # folders of a project that a path's group shows
DEFAULT_SVG_WIDTH: Final = 1200  # pixels
DEFAULT_LLAMA_URL: Final = "http://127.0.0.1:8080"
DEFAULT_MODEL: Final = "local"
DEFAULT_LLM_SECONDS: Final = 30.0  # how long one request may take
DEFAULT_FORMAT: Final = "pprof"  # of outputs whose name says none
