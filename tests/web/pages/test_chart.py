"""Charts as numbers."""

from answerprobe.web.pages._chart import Bar, Value, bars, line


def value(ratio: float | None, note: str = "") -> Value:
    """Return a value to be drawn."""
    return Value(ratio=ratio, kind="good", title="t", note=note)


class TestBars:
    def test_the_newest_is_at_the_right(self) -> None:
        """Few values leave room at the left."""
        chart = bars(
            [value(0.5), value(1.0)], places=4, size=(40, 20), label="", target=0.9
        )

        assert chart.bars == (
            Bar(x=20, y=10, width=8, height=10, kind="good", title="t"),
            Bar(x=30, y=0, width=8, height=20, kind="good", title="t"),
        )
        assert chart.target_y == 2

    def test_a_zero_can_still_be_seen(self) -> None:
        """A gap would look like a run that wasn't."""
        (bar,) = bars([value(0.0)], places=1, size=(10, 20), label="").bars

        assert bar.height == 2

    def test_what_is_unknown_fills_its_place(self) -> None:
        """In the colour of what was not judged."""
        (bar,) = bars([value(None)], places=1, size=(10, 20), label="").bars

        assert bar.height == 20


class TestLine:
    def test_it_runs_from_left_to_right(self) -> None:
        """All at the bottom is below, all at the top above, within the frame."""
        chart = line([value(0.0), value(1.0)], size=(200, 100), label="")

        low, high = chart.dots
        assert low.x < high.x
        assert 0 < high.y < low.y < 100

    def test_unknown_points_are_left_out(self) -> None:
        """Nothing is drawn where nothing is known."""
        chart = line([value(0.5), value(None), value(0.5)], size=(200, 100), label="")

        assert len(chart.dots) == 2

    def test_notes_do_not_touch(self) -> None:
        """The last one is always there."""
        many = [value(0.5, f"n={n}") for n in range(60)]

        notes = [dot.note for dot in line(many, size=(640, 100), label="").dots]

        assert notes[-1] == "n=59"
        assert 5 < sum(bool(note) for note in notes) < 16
