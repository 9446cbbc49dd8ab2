# SPDX-License-Identifier: MIT
"""The parts of ./clipfree bench: {name: function of a measure.Bench that returns measure.Figures}."""
from . import crowd, draws, features, growth, hacks, piglit, replays, sanitize, scenes, startup, visual


def recorded_programs(bench):
   from . import programs   # needs packages that other parts do not
   return programs.replayed(bench)


def web_pages(bench):
   from . import webgl   # the same
   return webgl.live(bench)


def whole_applications(bench):
   from . import applications   # the same
   return applications.whole(bench)


PARTS = {
   'scenes': scenes.off_screen,
   'windowed': scenes.windowed,
   'threads': scenes.threads,
   'gears': crowd.gears,
   'crowd': crowd.crowd,
   'draws': draws.cost,
   'immediate': draws.immediate,
   'features': features.cost,
   'startup': startup.first_frame,
   'piglit': piglit.cost,
   'stencil': lambda bench: scenes.with_visual(bench, 'stencil', 'stencil=8:depth=24'),
   'samples': lambda bench: scenes.with_visual(bench, 'samples', 'samples=4'),
   'whole': scenes.whole,
   'replays': replays.of_scenes,
   'hacks': hacks.live,
   'programs': recorded_programs,
   'growth': growth.curves,
   'piglit-whole': piglit.whole_cost,
   'webgl': web_pages,
   'visual': visual.scripts,
   'applications': whole_applications,
   'sanitize': sanitize.cost,
}
# only where they are named
LONG = ['stencil', 'samples', 'whole', 'replays', 'hacks', 'programs', 'growth', 'piglit-whole', 'webgl', 'visual',
        'applications', 'sanitize']
# of packages (tools/setup/packages.sh), beyond those of all parts
GROUPS = {'growth': ['sweep'], 'hacks': ['hacks'], 'programs': ['programs', 'games'], 'webgl': ['browser', 'web'],
          'visual': ['visual'], 'applications': ['programs', 'visual', 'applications']}
