"""What our dashboards have in common: variables, links, deploys."""

from grafana_foundation_sdk.builders.dashboard import (
    AdHocVariable,
    CustomVariable,
    Dashboard,
    DashboardLink,
    DatasourceVariable,
    QueryVariable,
    Row,
)
from grafana_foundation_sdk.cog.builder import Builder
from grafana_foundation_sdk.models.common import TimeZoneBrowser
from grafana_foundation_sdk.models.dashboard import (
    AnnotationQuery,
    DashboardCursorSync,
    DashboardLinkType,
    Panel,
    VariableHide,
    VariableOption,
    VariableRefresh,
    VariableSort,
)

from grafana.panels import SOURCE
from grafana.promql import Scope


TAG = "answerprobe"
JOB = 'job="$job"'
ONE = Scope(selector=f'{JOB},monitor="$monitor"')
# Below where people reach the daemon; the pages know what was asked and answered.
RUN_PAGE = "${external_url:raw}/runs/${__value.raw}"
_HERE = "var-datasource=${datasource}&var-job=${job:percentencode}"
_TIME = "${__url_time_range}"
# The configuration's external URL; where it has none, where Prometheus reaches it.
_EXTERNAL_URL = (
    "query_result(label_replace(label_replace("
    f'answerprobe_config_info{{{JOB}}}, "url", "http://$1", "instance", "(.+)"), '
    '"url", "$1", "external_url", "(.+?)/*"))'
)
_URL_IN_RESULT = r"""/\burl"?[=:] ?"([^"]+)"/"""


class _MarkQuery(AnnotationQuery):
    """
    A query whose values are the instants to mark.

    That setting of a Prometheus data source is unknown to the SDK.
    """

    title = ""
    text = ""

    def to_json(self) -> dict[str, object]:
        """Return it as Grafana has it."""
        shown = {"titleFormat": self.title, "textFormat": self.text}
        return super().to_json() | shown | {"useValueForTime": True, "step": "60s"}


class Marks(Builder[AnnotationQuery]):
    """Marks in all panels at the instants that are the values of *expr*, in seconds."""

    def __init__(self, name: str, expr: str, *, title: str, text: str) -> None:
        self._query = _MarkQuery(
            name=name,
            datasource=SOURCE,
            enable=True,
            icon_color="blue",
            expr=f"{expr} * 1000",
        )
        self._query.title = title
        self._query.text = text

    def build(self) -> AnnotationQuery:
        """Return the query."""
        return self._query


def deploys(scope: Scope) -> Marks:
    """Return marks at the deploys that were announced for the monitors of *scope*."""
    deployed = "answerprobe_last_deploy_timestamp_seconds"
    return Marks(
        "Deploys",
        scope.last(deployed, "monitor", "version"),
        title="{{monitor}}: deploy",
        text="{{version}}",
    )


def dashboard(name: str, title: str, about: str) -> Dashboard:
    """Return an empty dashboard with what all of ours have, called *name* in links."""
    return (
        Dashboard(title)
        .uid(f"answerprobe-{name}")
        .description(about)
        .tags([TAG])
        .editable()
        .refresh("1m")
        .time("now-24h", "now")
        .timezone(TimeZoneBrowser)
        .tooltip(DashboardCursorSync.CROSSHAIR)
        .link(_to_the_others())
        .link(_to_answerprobe())
        .with_variable(
            DatasourceVariable("datasource").label("Prometheus").type("prometheus")
        )
        .with_variable(
            _values("job", "answerprobe_build_info", "job")
            .label("Job")
            .description("The scrape job: one environment is looked at at a time.")
        )
        .with_variable(_window())
        .with_variable(
            _query("external_url", _EXTERNAL_URL)
            .regex(_URL_IN_RESULT)
            .hide(VariableHide.HIDE_VARIABLE)
            .description("Where links to evidence begin.")
        )
    )


def section(board: Dashboard, number: int, title: str, *panels: Builder[Panel]) -> None:
    """Add a row with its *panels* to *board*; *number* is the row's id."""
    board.with_row(Row(title).id(number))
    for panel in panels:
        board.with_panel(panel)


def one_monitor() -> QueryVariable:
    """Return the choice of one monitor."""
    return _values(
        "monitor", f"answerprobe_target_pass_ratio{{{JOB}}}", "monitor"
    ).label("Monitor")


def any_monitors() -> QueryVariable:
    """Return the choice of some monitors or of all."""
    return _or_all(one_monitor())


def some(name: str, metric: str, label: str) -> QueryVariable:
    """Return the choice of some values of the label *name* of *metric*, or of all."""
    return _or_all(_values(name, f"{metric}{{{JOB}}}", name).label(label))


def labels() -> AdHocVariable:
    """Return filters by any label, for those that the configuration gives monitors."""
    return (
        AdHocVariable("labels")
        .label("Labels")
        .description("Filters by the monitors' own labels, such as team.")
        .datasource(SOURCE)
    )


def monitor_page(monitor: str) -> tuple[str, str]:
    """Return title and address of the dashboard of *monitor*, a Grafana expression."""
    url = f"/d/answerprobe-monitor?{_HERE}&var-monitor={monitor}&{_TIME}"
    return ("Look at this monitor", url)


def _or_all(choice: QueryVariable) -> QueryVariable:
    """Return *choice* as one of several values, at first of all."""
    return (
        choice.multi(multi=True)
        .include_all(include_all=True)
        # Else it would be an alternation of all names, however many there are.
        .all_value(".*")
        .current(VariableOption(selected=True, text=["All"], value=["$__all"]))
    )


def _values(name: str, metric: str, label: str) -> QueryVariable:
    """Return a variable of the values of *label*."""
    return _query(name, f"label_values({metric}, {label})").sort(
        VariableSort.NATURAL_ASC
    )


def _query(name: str, query: str) -> QueryVariable:
    """Return a variable that is looked up in Prometheus."""
    return (
        QueryVariable(name)
        .datasource(SOURCE)
        .query(query)
        .refresh(VariableRefresh.ON_TIME_RANGE_CHANGED)
    )


def _window() -> CustomVariable:
    """Return over how long counters are summed."""
    lengths = ("1h", "6h", "1d", "7d", "30d")
    options = [
        VariableOption(selected=length == "6h", text=length, value=length)
        for length in lengths
    ]
    return (
        CustomVariable("window")
        .label("Window")
        .description(
            "Over how long samples, errors, tokens and latencies are put together. "
            "They move when runs end: take several intervals of the monitors."
        )
        .values(",".join(lengths))
        .options(options)
        .current(options[1])
    )


def _to_the_others() -> DashboardLink:
    """Return the links to our other dashboards."""
    return (
        DashboardLink("answerprobe")
        .type(DashboardLinkType.DASHBOARDS)
        .tags([TAG])
        .include_vars(include_vars=True)
        .keep_time(keep_time=True)
    )


def _to_answerprobe() -> DashboardLink:
    """Return the link to the daemon itself."""
    return (
        DashboardLink("Evidence")
        .type(DashboardLinkType.LINK)
        .icon("external link")
        .tooltip("What was asked and answered, in answerprobe itself")
        .url("${external_url:raw}/")
        .target_blank(target_blank=True)
    )
