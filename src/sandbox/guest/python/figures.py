"""A backend of matplotlib for guests: it draws without a screen, and `plt.show()` saves the figures as artifacts."""

from __future__ import annotations

import importlib

from matplotlib._pylab_helpers import Gcf  # type: ignore[import-not-found]
from matplotlib.backend_bases import FigureManagerBase  # type: ignore[import-not-found]
from matplotlib.backends.backend_agg import FigureCanvasAgg  # type: ignore[import-not-found]

FigureCanvas = FigureCanvasAgg
FigureManager = FigureManagerBase

_saved = 0


def show(*_args: object, **_named: object) -> None:
    """Saves every open figure as figure-<n>.png and closes it, as a window would be closed."""
    global _saved
    artifacts = importlib.import_module("coordinator").artifacts
    for manager in Gcf.get_all_fig_managers():
        _saved += 1
        artifacts.save(f"figure-{_saved}.png", manager.canvas.figure)
    Gcf.destroy_all()
