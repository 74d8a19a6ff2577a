#!/bin/sh
# benchpress asks for an installation: fathom is the system's, and is only looked for.
command -v fathom || { echo "fathom is not installed" >&2; exit 1; }
