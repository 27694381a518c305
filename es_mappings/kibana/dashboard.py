"""Dashboards: panels side by side."""

import json
from dataclasses import dataclass
from typing import Any, Final

from citespan.es_mappings.kibana.vega import Panel, no_query

_COLUMNS: Final = 48  # of Kibana's grid
_HEIGHT: Final = 14


@dataclass(frozen=True)
class Dashboard:
    """Panels, two in a row."""

    id: str
    title: str
    description: str
    panels: tuple[Panel, ...]

    def saved_object(self) -> dict[str, Any]:
        """Return it as the saved-objects API takes it.

        Kibana finds a panel's object by a reference whose name begins with the panel's index.
        """
        names = [str(place) for place in range(1, len(self.panels) + 1)]
        return {
            "id": self.id,
            "type": "dashboard",
            "attributes": {
                "title": self.title,
                "description": self.description,
                "version": 1,
                "timeRestore": False,
                "optionsJSON": json.dumps({"useMargins": True, "hidePanelTitles": False}),
                "panelsJSON": json.dumps([_place(name) for name in names]),
                "kibanaSavedObjectMeta": {"searchSourceJSON": no_query()},
            },
            "references": [
                {"name": f"{name}:panel_{name}", "type": "visualization", "id": panel.id}
                for name, panel in zip(names, self.panels, strict=True)
            ],
            "coreMigrationVersion": "8.8.0",
            "typeMigrationVersion": "10.3.0",
        }


def _place(name: str) -> dict[str, Any]:
    row, column = divmod(int(name) - 1, 2)
    width = _COLUMNS // 2
    grid = {"x": column * width, "y": row * _HEIGHT, "w": width, "h": _HEIGHT, "i": name}
    return {
        "version": "8.8.0",
        "type": "visualization",
        "gridData": grid,
        "panelIndex": name,
        "embeddableConfig": {"enhancements": {}},
        "panelRefName": f"panel_{name}",
    }
