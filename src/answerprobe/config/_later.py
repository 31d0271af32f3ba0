"""Keys that the schema knows and this version does not act on."""

from collections.abc import Mapping


_NO_OAUTH2 = "not supported yet here, only in monitors; wanted: bearer, basic or header"
# Key -> what to say of it; `*` stands for any name or place in a list.
LATER: Mapping[str, str] = {
    "judges.*.auth.oauth2": _NO_OAUTH2,
    "simulated_user.auth.oauth2": _NO_OAUTH2,
}
