# SPDX-License-Identifier: MIT
"""The parts of ./clipfree bench: {name: function of a measure.Bench that returns measure.Figures}."""
from . import draws, features, piglit, scenes, startup

PARTS = {
   'scenes': scenes.off_screen,
   'windowed': scenes.windowed,
   'threads': scenes.threads,
   'draws': draws.cost,
   'features': features.cost,
   'startup': startup.first_frame,
   'piglit': piglit.cost,
   'piglit-whole': piglit.whole_cost,
}
LONG = ['piglit-whole']   # only where they are named
