#!/bin/bash
# The presets of the sources on those of their own scenes that take longer: see source_presets.sh.
SOURCES=long exec "$(dirname "$0")/source_presets.sh"
