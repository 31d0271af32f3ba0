"""What built-in judged criteria hold an answer against: character and knowledge."""

import hashlib

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path as FilePath

from answerprobe.case import BUILT_IN_RUBRICS, Material, Rubric
from answerprobe.config._findings import Path
from answerprobe.config._reading import Reading, mapping, text
from answerprobe.config._show import quote
from answerprobe.errors import CriterionError


CHARACTER = "character"
KNOWLEDGE = "knowledge"
SYSTEM_PROMPT = "system_prompt"
# A judge reads it with every verdict: some 16,000 tokens.
MOST_BYTES = 64 * 1024
# Held against what tools returned, which is in the transcript that a judge sees.
FROM_TOOLS = "does_not_hallucinate"
_TOOLS = ("tools", "response.tool_calls")
# Criterion -> the keys of a monitor that may hold its material, the best first.
_SOURCES = {
    FROM_TOOLS: (KNOWLEDGE,),
    "stays_in_character": (CHARACTER, SYSTEM_PROMPT),
    "grounded_in_knowledge": (KNOWLEDGE,),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Materials:
    """
    The material of one monitor: the keys that are written, and their texts.

    A text is None where it cannot be used, which is a finding already. *tools*: there
    may be results of tools besides.
    """

    texts: Mapping[str, str | None]
    tools: bool = False

    def rubric(self, criterion: str) -> Rubric | None:
        """
        Return the built-in rubric of *criterion*; None where its text is unusable.

        Raises:
            CriterionError: the monitor writes nothing that could be its material.
        """
        sources = _SOURCES[criterion]
        source = next((key for key in sources if key in self.texts), None)
        if source is None:
            return self._without_text(criterion)
        found = self.texts[source]
        if found is None:
            return None
        # A finding already, but for a system prompt, which serves other ends besides.
        if fault := _fault(found):
            raise CriterionError(f"takes `{source}` for the character, which {fault}")
        name = CHARACTER if source == SYSTEM_PROMPT else source
        return Rubric(
            criterion=criterion,
            text=BUILT_IN_RUBRICS[criterion],
            material=(Material(name=name, text=found),),
        )

    def _without_text(self, criterion: str) -> Rubric:
        """
        Return the rubric of *criterion* where the monitor writes no text for it.

        Raises:
            CriterionError: it needs one.
        """
        if criterion == FROM_TOOLS and self.tools:
            return Rubric(criterion=criterion, text=BUILT_IN_RUBRICS[criterion])
        sources = _SOURCES[criterion] + (_TOOLS if criterion == FROM_TOOLS else ())
        keys = " or ".join(f"`{key}`" for key in sources)
        message = f"needs {keys} in the monitor, to hold the answer against"
        raise CriterionError(message)


def read_materials(
    raw: Mapping[str, object], path: Path, reading: Reading, *, tools: bool
) -> Materials:
    """Return the material that the monitor *raw* writes; *tools*: they are seen."""
    return Materials(
        tools=tools,
        texts={
            key: _read(raw, key, (*path, key), reading)
            for key in (CHARACTER, KNOWLEDGE, SYSTEM_PROMPT)
            if key in raw
        },
    )


def meaning(rubric: Rubric) -> object:
    """Return what *rubric* means, as JSON: the same for every wording of ours."""
    return [
        [material.name, hashlib.sha256(material.text.encode()).hexdigest()]
        for material in rubric.material
    ]


def _read(
    raw: Mapping[str, object], key: str, path: Path, reading: Reading
) -> str | None:
    """Return the text at *key*, or that of the file it names, without blanks around."""
    written = mapping(raw, key).get("file")
    if isinstance(written, str):
        return _from_file(written, (*path, "file"), reading)
    found = (text(raw, key) or "").strip()
    if key != SYSTEM_PROMPT and (fault := _fault(found)):
        reading.findings.add(path, fault)
        return None
    return found


def _from_file(written: str, path: Path, reading: Reading) -> str | None:
    """Return what is in the file *written*, read once for all monitors."""
    file = reading.folder / written
    known = reading.texts.get(file)
    if known is None:
        known = reading.texts[file] = _file(file)
    found, fault = known
    if fault:
        reading.findings.add(path, f"{quote(written)} {fault}")
    return found


def _file(file: FilePath) -> tuple[str | None, str | None]:
    """Return the text in *file* and None, or None and what is wrong with it."""
    try:
        if not file.is_file():
            return None, "is no file" if file.exists() else "is not there"
        with file.open("rb") as stream:
            content = stream.read(MOST_BYTES + 1)
        if len(content) > MOST_BYTES:
            return None, _too_long(max(len(content), file.stat().st_size))
        found = content.decode("utf-8-sig").strip()
    except UnicodeDecodeError:
        return None, "holds no UTF-8 text"
    except (OSError, ValueError) as exc:
        fault = exc.strerror if isinstance(exc, OSError) else None
        return None, f"cannot be read: {(fault or 'no file has such a name').lower()}"
    return (found, None) if found else (None, "is blank")


def _fault(found: str) -> str | None:
    """Return what keeps the text *found* from being a judge's material."""
    if not found:
        return "is blank"
    size_bytes = len(found.encode("utf-8", "replace"))
    return _too_long(size_bytes) if size_bytes > MOST_BYTES else None


def _too_long(size_bytes: int) -> str:
    """Return that a judge would have to read too much with every verdict."""
    return f"is {size_bytes:,} bytes long; wanted: at most {MOST_BYTES:,}"
