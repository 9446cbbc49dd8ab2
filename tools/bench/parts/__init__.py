# SPDX-License-Identifier: MIT
"""The parts of ./clipfree bench: {name: function of a measure.Bench that returns measure.Figures}."""
from . import draws, features, hacks, piglit, scenes, startup

PARTS = {
   'scenes': scenes.off_screen,
   'windowed': scenes.windowed,
   'threads': scenes.threads,
   'draws': draws.cost,
   'features': features.cost,
   'hacks': hacks.live,
   'startup': startup.first_frame,
   'piglit': piglit.cost,
   'piglit-whole': piglit.whole_cost,
}
LONG = ['hacks', 'piglit-whole']   # only where they are named
GROUPS = {'hacks': ['hacks']}   # of packages (tools/setup/packages.sh), beyond those of all parts
