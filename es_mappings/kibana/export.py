"""All that citespan imports into Kibana, as the file that its saved-objects import takes."""

import json
from typing import Any

from citespan.es_mappings.kibana.citation_links import CITATION_LINKS
from citespan.es_mappings.kibana.corpus import CORPUS
from citespan.es_mappings.kibana.evaluation import EVALUATION
from citespan.es_mappings.kibana.objects import DATA_VIEWS, SAVED_SEARCHES

DASHBOARDS = (CORPUS, CITATION_LINKS, EVALUATION)


def saved_objects() -> list[dict[str, Any]]:
    """Return all objects; each comes before those that refer to it."""
    panels = [panel for dashboard in DASHBOARDS for panel in dashboard.panels]
    return [
        *(view.saved_object() for view in DATA_VIEWS),
        *(search.saved_object() for search in SAVED_SEARCHES),
        *(panel.saved_object() for panel in panels),
        *(dashboard.saved_object() for dashboard in DASHBOARDS),
    ]


def export() -> bytes:
    """Return the file: one object in each line."""
    lines = (json.dumps(thing, ensure_ascii=False) for thing in saved_objects())
    return ("\n".join(lines) + "\n").encode()
