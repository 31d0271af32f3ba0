"""Keys that the schema knows and this version does not act on."""

# `*` stands for any name or place in a list.
LATER = frozenset(
    {
        "deploys",
        "simulated_user",
        "api.admins",
        "judges.*.auth.oauth2",
        "monitors.*.auth.oauth2",
        "monitors.*.request.session",
        "monitors.*.request.history",
        "monitors.*.request.body",
        "monitors.*.response.tool_calls",
        "monitors.*.tools",
        "monitors.*.cases.*.conversation",
        "monitors.*.cases.*.actions",
        "monitors.*.cases.*.threshold",
        "monitors.*.cases.*.expect.*.invokes_tool",
        "monitors.*.cases.*.expect.*.does_not_invoke_tool",
        "monitors.*.cases.*.expect.*.tool_parameters_contain",
        "monitors.*.cases.*.expect.*.expected_actions",
        "monitors.*.cases.*.expect.*.*.in",
    }
)
MESSAGE = "not supported yet"
