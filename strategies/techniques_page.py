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

Every step that Nonant makes carries a proof that `nonant.csp.proofs.check` checks, whatever the model: a technique
knows truths (a cell takes a value; a value stands in a full unit) and links (at most one), and no rows or boxes.
This page is written from the rows beside the finders, in the order of `strategies/table.py`.

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
| refutation | a candidate; truths that leave one candidate (or group) each, or inner proofs; a truth left with none |
| constraint | no tuple of a sum, relation or comparison has the candidate |
| parity | a sum of equations modulo 2 that leaves one candidate, or two |
| uniqueness | cells whose two values could be exchanged everywhere, and the candidates outside, of which one holds |
"""

LIMITS = """## What `find_all` leaves out

Fish, subsets, locked candidates, ALS-XZ, ALS-XY-wing, W-wing, the turbot shapes and the rectangles are found in full:
every distinct elimination of the pattern on the board. The rest is bounded, and this is where:

- **Chains** are found by shortest paths: of each pair of ends one chain. So each candidate that some chain removes is
  removed by a step, but not each chain is a step. A longer loop over the same ends is passed by; what the inside of a
  loop removes is still found, as a chain between the two nodes of the link in question.
- A *general name* (x-chain, xy-chain, aic, grouped aic, als chain, ...) takes all chains of its kind, special shapes
  included; a *special* one (skyscraper, W-wing, ALS-XZ, ...) only its shape.
- **Almost locked sets**: of any size alone, in pairs and in threes; of up to five cells in longer chains, in chains
  with other links and as petals. `als chain` has at most eight sets, other chains 24 strong edges.
- **Death blossom**: stems of two to four values. **Sue de Coq**: up to four cells in each unit outside the
  intersection.
- **Uniqueness**: unique loops and extended rectangles of any length with guardians in at most three cells; a BUG with
  at most twelve cells of more than two values. The rungs of an extended rectangle have a pair each (ab, bc, ca); six
  cells that share three values need several guards at once, which is no kind of proof here. Avoidable patterns are
  rectangles only.
- **Multi-sector locked sets**: up to four lines a side. **Fish**: up to four bases.
- Not there: aligned pair exclusion, exocets, tridagons and fireworks as patterns of their own; Kraken fish are braids.
"""


def techniques_page() -> str:
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
    lines.append(LIMITS)
    return "\n".join(lines).rstrip() + "\n"
