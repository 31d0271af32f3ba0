"""Panels in our house style: each has an id, a unit, thresholds and a description."""

import string

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from grafana_foundation_sdk.builders import (
    common,
    heatmap,
    stat,
    statetimeline,
    table,
    timeseries,
)
from grafana_foundation_sdk.builders.dashboard import DashboardLink, ThresholdsConfig
from grafana_foundation_sdk.builders.prometheus import Dataquery
from grafana_foundation_sdk.models.common import (
    BigValueColorMode,
    BigValueGraphMode,
    GraphDrawStyle,
    GraphThresholdsStyleMode,
    LegendDisplayMode,
    LegendPlacement,
    SortOrder,
    StackingMode,
    TooltipDisplayMode,
    VisibilityMode,
)
from grafana_foundation_sdk.models.dashboard import (
    DashboardLinkType,
    DataSourceRef,
    DataTransformerConfig,
    DynamicConfigValue,
    Threshold,
    ThresholdsMode,
    ValueMap,
    ValueMappingResult,
)
from grafana_foundation_sdk.models.heatmap import HeatmapColorMode
from grafana_foundation_sdk.models.prometheus import PromQueryFormat


P = TypeVar(
    "P",
    heatmap.Panel,
    stat.Panel,
    statetimeline.Panel,
    table.Panel,
    timeseries.Panel,
)
Steps = tuple[tuple[float | None, str], ...]

SOURCE = DataSourceRef(type_val="prometheus", uid="${datasource}")
# Colours from a value on, upwards. None is what is below all others.
NEUTRAL: Steps = ((None, "blue"),)
# The usual target is 90%; what a monitor is held to is in the panels.
RATIO: Steps = ((None, "red"), (0.75, "orange"), (0.9, "green"))
BUDGET: Steps = ((None, "red"), (0.1, "orange"), (0.25, "green"))
NONE_WANTED: Steps = ((None, "green"), (1, "red"))

STATUS = (
    ("0", "down", "red"),
    ("1", "degraded", "orange"),
    ("2", "up", "green"),
    ("3", "paused", "purple"),
)
PASSING = (("0", "fails", "red"), ("1", "passes", "green"))
YES = (("0", "no", "red"), ("1", "yes", "green"))


class Query(NamedTuple):
    """One query of a panel; *legend* is how a series of it is called."""

    expr: str
    legend: str = "{{monitor}}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """
    What every panel has.

    *number* is its id, which links to it hold: a panel keeps its own for good, and what
    a panel no longer uses is not given away again.
    """

    number: int
    title: str
    about: str
    width: int
    height: int = 8
    unit: str = "short"
    steps: Steps = NEUTRAL


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column of a table: its *field* in the result, its title and how it is shown."""

    field: str
    title: str
    unit: str | None = None
    mapping: Sequence[tuple[str, str, str]] = ()
    steps: Steps | None = None
    link: tuple[str, str] | None = None
    width: int | None = None
    wrap: bool = False


def lines(
    frame: Frame, *queries: Query, at_most: float | None = None
) -> timeseries.Panel:
    """Return lines over time; the axis begins at 0 and ends at *at_most*."""
    panel = _framed(timeseries.Panel(), frame).min(0)
    for target in _targets(queries):
        panel.with_target(target)
    if at_most is not None:
        panel.max(at_most)
    if len(frame.steps) > 1:
        style = common.GraphThresholdsStyleConfig().mode(
            GraphThresholdsStyleMode.DASHED
        )
        panel.thresholds_style(style)
    return (
        panel.draw_style(GraphDrawStyle.LINE)
        .fill_opacity(5)
        .show_points(VisibilityMode.NEVER)
        .legend(_legend())
        .tooltip(
            common.VizTooltipOptions()
            .mode(TooltipDisplayMode.MULTI)
            .sort(SortOrder.DESCENDING)
        )
    )


def bars(frame: Frame, *queries: Query, if_none: str = "none") -> timeseries.Panel:
    """Return stacked bars over time; *if_none* is shown where there is nothing."""
    return (
        lines(frame, *queries)
        .draw_style(GraphDrawStyle.BARS)
        .fill_opacity(70)
        .stacking(common.StackingConfig().mode(StackingMode.NORMAL))
        .no_value(if_none)
    )


def dashed(panel: timeseries.Panel, legend: str, color: str) -> timeseries.Panel:
    """Draw the lines whose names match *legend* dashed: what others have to clear."""
    return panel.override_by_regexp(
        legend,
        [
            DynamicConfigValue("custom.lineStyle", {"fill": "dash", "dash": [8, 8]}),
            DynamicConfigValue("custom.fillOpacity", 0),
            DynamicConfigValue("color", {"mode": "fixed", "fixedColor": color}),
        ],
    )


def on_the_right(panel: timeseries.Panel, legend: str, unit: str) -> timeseries.Panel:
    """Draw the lines whose names match *legend* dotted, by an axis of their own."""
    return panel.override_by_regexp(
        legend,
        [
            DynamicConfigValue("custom.axisPlacement", "right"),
            DynamicConfigValue("custom.lineStyle", {"fill": "dot", "dash": [0, 6]}),
            DynamicConfigValue("custom.fillOpacity", 0),
            DynamicConfigValue("unit", unit),
            DynamicConfigValue("max", None),
        ],
    )


def numbers(
    frame: Frame,
    *queries: Query,
    mapping: Sequence[tuple[str, str, str]] = (),
    link: tuple[str, str] | None = None,
) -> stat.Panel:
    """Return the newest values in large; *link* is a title and where it leads."""
    panel = _framed(stat.Panel(), frame).no_value("not known yet")
    for target in _targets(queries):
        panel.with_target(target.instant())
    if mapping:
        panel.mappings([_value_map(mapping)])
    if link is not None:
        panel.data_links([_data_link(*link)])
    return (
        panel.color_mode(BigValueColorMode.VALUE)
        .graph_mode(BigValueGraphMode.NONE)
        .reduce_options(common.ReduceDataOptions().calcs(["lastNotNull"]))
    )


def states(
    frame: Frame,
    query: Query,
    mapping: Sequence[tuple[str, str, str]],
    link: tuple[str, str] | None = None,
) -> statetimeline.Panel:
    """Return one bar over time for each series, coloured by its state."""
    panel = _framed(statetimeline.Panel(), frame)
    for target in _targets([query]):
        panel.with_target(target)
    if link is not None:
        panel.data_links([_data_link(*link)])
    return (
        panel.mappings([_value_map(mapping)])
        .show_value(VisibilityMode.NEVER)
        .merge_values(merge_values=True)
        .row_height(0.8)
        .fill_opacity(80)
        .legend(_legend(LegendDisplayMode.LIST, calcs=()))
    )


def spread(frame: Frame, query: Query) -> heatmap.Panel:
    """Return the buckets of a histogram over time as a heatmap."""
    panel = _framed(heatmap.Panel(), frame)
    for target in _targets([query]):
        panel.with_target(target.format(PromQueryFormat.HEATMAP))
    color = heatmap.HeatmapColorOptions().mode(HeatmapColorMode.SCHEME)
    return (
        panel.calculate(calculate=False)
        .color(color.scheme("Oranges").steps(64).exponent(0.5))
        .y_axis(heatmap.YAxisConfig().unit(frame.unit))
        .cell_values(heatmap.CellValues().unit("short").decimals(0))
        .show_y_histogram()
    )


def rows(
    frame: Frame, queries: Sequence[Query], columns: Sequence[Column], *, if_none: str
) -> table.Panel:
    """
    Return a table with the *columns* in this order.

    Rows of the queries with the same labels become one. The value of the first query is
    the field `Value #A`, and so on; if there is one query, just `Value`.
    """
    panel = _framed(table.Panel(), frame).no_value(if_none)
    for target in _targets(queries):
        panel.with_target(target.instant().format(PromQueryFormat.TABLE))
    if len(queries) > 1:
        panel.with_transformation(DataTransformerConfig(id_val="merge", options={}))
    panel.with_transformation(_organized(columns))
    for column in columns:
        panel.override_by_name(column.title, _properties(column))
    return panel.filterable(filterable=True)


def _framed(panel: P, frame: Frame) -> P:
    """Return *panel* with all that *frame* says."""
    steps = [Threshold(value=value, color=color) for value, color in frame.steps]
    return (
        panel.id(frame.number)
        .title(frame.title)
        .description(frame.about)
        .datasource(SOURCE)
        .span(frame.width)
        .height(frame.height)
        .unit(frame.unit)
        .thresholds(ThresholdsConfig().mode(ThresholdsMode.ABSOLUTE).steps(steps))
    )


def _targets(queries: Sequence[Query]) -> list[Dataquery]:
    """Return *queries* as Grafana has them, called A, B and so on."""
    return [
        Dataquery()
        .expr(query.expr)
        .legend_format(query.legend)
        .datasource(SOURCE)
        .ref_id(letter)
        for query, letter in zip(queries, string.ascii_uppercase, strict=False)
    ]


def _legend(
    mode: LegendDisplayMode = LegendDisplayMode.TABLE,
    calcs: Sequence[str] = ("lastNotNull", "max"),
) -> common.VizLegendOptions:
    """Return the legend: below the graph, with the newest and the largest value."""
    return (
        common.VizLegendOptions()
        .display_mode(mode)
        .placement(LegendPlacement.BOTTOM)
        .show_legend(show_legend=True)
        .calcs(list(calcs))
    )


def _value_map(mapping: Sequence[tuple[str, str, str]]) -> ValueMap:
    """Return what each value of *mapping* is called, and its colour."""
    options = {
        value: ValueMappingResult(text=text, color=color, index=index)
        for index, (value, text, color) in enumerate(mapping)
    }
    return ValueMap(options=options)


def _data_link(title: str, url: str) -> DashboardLink:
    """Return a link that hangs on each value of a panel."""
    return DashboardLink(title).type(DashboardLinkType.LINK).url(url)


def _organized(columns: Sequence[Column]) -> DataTransformerConfig:
    """Return the transformation that names and orders *columns* and drops the time."""
    names: Mapping[str, str] = {column.field: column.title for column in columns}
    order = {column.field: index for index, column in enumerate(columns)}
    return DataTransformerConfig(
        id_val="organize",
        options={
            "excludeByName": {"Time": True},
            "indexByName": order,
            "renameByName": names,
        },
    )


def _properties(column: Column) -> list[DynamicConfigValue]:
    """Return how *column* is shown."""
    given: dict[str, object] = {"unit": column.unit, "custom.width": column.width}
    if column.mapping:
        given["mappings"] = [_value_map(column.mapping)]
        given["custom.cellOptions"] = {"type": "color-text"}
    if column.steps:
        steps = [{"value": value, "color": color} for value, color in column.steps]
        given["thresholds"] = {"mode": "absolute", "steps": steps}
        given["custom.cellOptions"] = {"type": "color-text"}
    if column.wrap:
        given["custom.cellOptions"] = {"type": "auto", "wrapText": True}
    if column.link is not None:
        title, url = column.link
        given["links"] = [{"title": title, "url": url, "targetBlank": False}]
    return [
        DynamicConfigValue(key, value)
        for key, value in given.items()
        if value is not None
    ]
