"""Whatever is fed to `read`: a puzzle or one line that says what is wrong, soon, and never a traceback."""

from __future__ import annotations

from pathlib import Path

from hypothesis import example, given, settings
from hypothesis import strategies as st

from nonant.csp.errors import ParseError
from nonant.csp.model import Puzzle
from nonant.formats import entries, forms, read, write
from nonant.models import model

LINE = ".2..3......3....4...49.8..3.4.71..563.......251..96.8.9..3.54...8....1......2..9."
CUBE = "9.2.7..6.......13....5.4..."
REGIONS = "111223333411233233411222253416625555414666665444476855999976858977778888999977788"
SAID = st.sampled_from([None, None, "classic", "latin", "jigsaw", "cube", "lattice-cube", "x", model("classic-9")])

SEEDS = [
    *(write(model("classic-9").puzzle(LINE), form) for form in forms() if form != "planes"),
    *(write(model("cube-3").puzzle(CUBE), form) for form in forms() if form != "jigsaw"),
    write(model("classic-16").puzzle({"r1c1": 16, "r2c2": 10}), "line"),
    write(model("classic-16").puzzle({"r1c1": 16, "r2c2": 10}), "numbers"),
    f"name,puzzle,regions\na,{LINE},{REGIONS}\n",
    f"{LINE}\n{LINE} # twice\n",
    "\n\n".join(["....\n1...\n..2.\n...."] * 4),
    f"[Puzzle]\n{LINE[:9]}\n[State]\n",
]

# Characters that mean something to the reader come often, all others now and then.
NEAR = st.text(alphabet=".0_*-123456789AFGP ,;|+#/[]\n\r\t\"'", max_size=200)
WILD = st.text(alphabet=st.characters(exclude_categories=()), max_size=200)


def check(text: str, said: object = None) -> None:
    problem: ParseError | None = None
    try:
        found = read(text, said)  # type: ignore[arg-type]
    except ParseError as error:
        problem = error
    else:
        assert isinstance(found, Puzzle)
    if problem is not None:
        assert str(problem).isprintable()  # so it is one line
        assert len(str(problem)) < 400
    for entry in entries(text, said):  # type: ignore[arg-type]
        assert (entry.puzzle is None) != (entry.error is None)


@settings(max_examples=400, deadline=2000)
@given(st.one_of(NEAR, WILD), SAID)
@example("\udc80" * 81, None)
@example("1" * 4300 + "\n" + "2" * 81, None)
@example("-" * 81, None)
@example("[Puzzle]", None)
@example('puzzle,x\n"', None)
@example('puzzle,x\n"a\rb"\n', None)
@example("/", None)
@example(".", None)
@example("~" * 81, None)
def test_any_text(text: str, said: object) -> None:
    check(text, said)


@settings(max_examples=400, deadline=2000)
@given(st.data())
def test_mutations_of_puzzles(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(SEEDS))
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        end = start + data.draw(st.integers(0, 30))
        put = data.draw(
            st.one_of(st.just(""), NEAR.filter(lambda piece: len(piece) < 40), st.just(text[start:end] * 2))
        )
        text = text[:start] + put + text[end:]
    check(text, data.draw(SAID))


@settings(max_examples=100, deadline=2000)
@given(st.lists(st.sampled_from([*SEEDS, "", "#", "Grid 2", "1" * 16, "[x]", "12 34"]), max_size=6), SAID)
def test_any_order_of_pieces(pieces: list[str], said: object) -> None:
    check("\n".join(pieces), said)
    check("\n\n".join(pieces), said)


def test_any_bytes(tmp_path_factory: object) -> None:
    folder: Path = tmp_path_factory.mktemp("fuzz")  # type: ignore[attr-defined]
    path = folder / "any"

    @settings(max_examples=100, deadline=2000)
    @given(st.binary(max_size=300))
    @example(b"\x1f\x8b")
    @example(b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03" + b"\xff" * 20)
    @example(b"\xff\xfe1\x002\x00")
    def run(content: bytes) -> None:
        path.write_bytes(content)
        check(str(path))

    run()


def test_large_texts_end_soon() -> None:
    longest = 199_999
    for text in ("." * longest, "1," * (longest // 2), "-" * longest, "#" * longest + "\n1", "1" * 10_000_000):
        check(text)
    for text in (".\n" * 200_000, "\n" * 200_000, "123456789\n\n" * 20_000, (LINE + "\n") * 2000):
        check(text)
