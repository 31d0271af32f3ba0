"""What makes a daemon one of several: its lease, its claims, what it learns."""

from collections.abc import Callable
from dataclasses import dataclass

from answerprobe.evidence import Cluster, Journal
from answerprobe.ledger import Ledger
from answerprobe.scheduler import (
    Follower,
    LeasedClaims,
    Membership,
    Scheduler,
    SharedDuties,
    SharedFund,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Replica:
    """A daemon's part in a cluster. Only what shares a PostgreSQL has one."""

    cluster: Cluster
    membership: Membership
    journal: Journal
    ledger: Ledger
    claims: LeasedClaims
    duties: SharedDuties

    def follower(self, scheduler: Scheduler) -> Follower:
        """Return what keeps *scheduler* true to the store."""
        return Follower(
            cluster=self.cluster,
            membership=self.membership,
            claims=self.claims,
            scheduler=scheduler,
            journal=self.journal,
            ledger=self.ledger,
        )


def make_replica(
    cluster: Cluster,
    membership: Membership,
    *,
    journal: Journal,
    ledger: Ledger,
    full: Callable[[], bool],
) -> Replica:
    """Return the replica of *membership*; its *ledger* asks the cluster from now on."""
    ledger.fund = SharedFund(
        cluster=cluster, membership=membership, faults=journal, ledger=ledger
    )
    return Replica(
        cluster=cluster,
        membership=membership,
        journal=journal,
        ledger=ledger,
        claims=LeasedClaims(
            cluster=cluster,
            membership=membership,
            faults=journal,
            ledger=ledger,
            full=full,
        ),
        duties=SharedDuties(cluster, membership),
    )
