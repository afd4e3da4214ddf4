"""docs/techniques.md, written from the table of techniques (a test keeps the file equal to it)."""

from __future__ import annotations

from nonant.strategies.table import TECHNIQUES

LEVELS = {
    1: "singles",
    2: "one truth inside one link, and the model's other constraints",
    3: "subsets of one unit",
    4: "two or three truths: fish, wings, short chains of one value, uniqueness",
    5: "fins, longer chains of one kind",
    6: "chains of all kinds, almost locked sets",
    7: "the larger patterns",
    8: "algebra",
    9: "refutations",
    10: "refutations inside refutations",
    11: "deeper still",
}

HEAD = """# Techniques

Every step that Nonant makes carries a proof that `nonant.csp.proof` checks, whatever the model: a technique knows
truths (a cell takes a value; a value stands in a full unit) and links (at most one), and no rows, columns or boxes.
This page is written from the table in `strategies/table.py`.

The ladder goes through the table from the top and takes the first step that there is. Techniques *by name* are left out
unless they are asked for (`--only`): they are costly, and seldom find what the others do not. Those that *assume a
unique solution* need `--unique`, which checks first that there is one.

    nonant explain PUZZLE --steps            every step with its reason
    nonant explain PUZZLE --max 3            nothing harder than level 3
    nonant hint PUZZLE --board POSITION      the next step
    nonant techniques x-wing                 one entry

```python
from nonant.strategies import Board, explain, find_all

path = explain(puzzle)                       # .result, .steps, .techniques, .depth, .check()
find_all("x-wing", Board.from_puzzle(puzzle))
```

| proof | says |
|---|---|
| cover | truths and links, repeats counted: no candidate is in more truths than links; a larger surplus is false |
| refutation | a candidate, and truths that leave one candidate (or one group) each, up to a truth that is left none |
| constraint | no tuple of a sum, relation or comparison has the candidate |
| parity | a sum of equations modulo 2 that leaves one candidate, or two |
| uniqueness | cells whose two values could be exchanged everywhere, and the candidates outside, of which one holds |
"""


def guide() -> str:
    """The text of docs/techniques.md."""
    lines = [HEAD]
    for level in sorted({known.level for known in TECHNIQUES}):
        lines += [
            f"## Level {level}: {LEVELS[level]}",
            "",
            "| technique | works on | also called | source |",
            "|---|---|---|---|",
        ]
        for known in TECHNIQUES:
            if known.level == level:
                marks = [mark for mark, on in (("unique", known.unique), ("by name", known.asked)) if on]
                name = f"{known.name} *({', '.join(marks)})*" if marks else known.name
                lines.append(f"| {name} | {known.scope} | {', '.join(known.aliases)} | {known.source} |")
        lines.append("")
    return "\n".join(lines).rstrip() + "\n"
