"""Tags kept up to date pass by pass, at the cost of what is new: for a watcher that runs for weeks.

Rows only get higher numbers, so new prompts stand behind the last one seen. A text that changed in
place is found when all prompts are looked at, which a scan of all folders does if anything came.
"""

from pathlib import Path

from agentpprof.models import PromptRow
from agentpprof.resources import read_text
from agentpprof.store.database import opened_for_reading
from agentpprof.store.tag_cache import save, tag_new_prompts, tag_unknown
from agentpprof.store.tags import definition_hash
from agentpprof.tagging.tagger import DEFAULT_TAGGER, Tagger


class RunningTags:
    """The tags of one database, from pass to pass."""

    def __init__(self, database: Path, tagger: Tagger = DEFAULT_TAGGER) -> None:
        """Begin by looking at all prompts once."""
        self._database = database
        self._tagger = tagger
        self._last_id = 0
        self._has_looked = False
        self._is_complete = False

    def after_pass(self, operations: int, *, is_scan: bool) -> int:
        """Tag what a pass has brought; returns how many texts."""
        self._is_complete = self._is_complete and not operations
        if not self._has_looked or (is_scan and not self._is_complete):
            return self._look_at_all()
        return self._look_behind() if operations else 0

    def _look_at_all(self) -> int:
        newest_id = self._newest_id()
        count = tag_new_prompts(self._database, self._tagger)
        self._last_id, self._has_looked, self._is_complete = newest_id, True, True
        return count

    def _look_behind(self) -> int:
        newest_id = self._newest_id()
        with opened_for_reading(self._database) as connection:
            parameters = {
                "last_id": self._last_id if newest_id >= self._last_id else 0,
                "newest_id": newest_id,
                "definition_hash": definition_hash(self._tagger.definition()),
            }
            rows = connection.execute(
                read_text("sql", "select/new_prompts.sql"), parameters
            ).fetchall()
            prompts = [PromptRow(key, 0, 0, text_hash, 0, 0) for text_hash, key in rows]
            found = tag_unknown(connection, self._tagger, prompts, {})
        if found and not save(self._database, self._tagger, found):
            return 0  # somebody else writes: the next pass sees them again
        self._last_id = newest_id
        return len(found.tags)

    def _newest_id(self) -> int:
        with opened_for_reading(self._database) as connection:
            row = connection.execute("select coalesce(max(id), 0) from operation").fetchone()
        return int(row[0])
