# SPDX-License-Identifier: MIT
"""What the test suites share: cases and counts, programs under a time limit, traces, the rule for pictures."""
