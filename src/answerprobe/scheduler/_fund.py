"""The budget of all monitors together, where several replicas spend from it."""

from answerprobe.errors import StoreError
from answerprobe.evidence import Cluster
from answerprobe.ledger import Ledger, month_of
from answerprobe.scheduler._leased import Faults
from answerprobe.scheduler._membership import Membership


class SharedFund:
    """Asks the store for each sample; it knows what all replicas hold."""

    def __init__(
        self,
        *,
        cluster: Cluster,
        membership: Membership,
        faults: Faults,
        ledger: Ledger,
    ) -> None:
        self._cluster = cluster
        self._membership = membership
        self._faults = faults
        self._ledger = ledger

    async def grant(self, limit_tokens: int, further_tokens: int) -> bool:
        """Whether one more sample, of *further_tokens*, may start."""
        if self._membership.acts_alone:
            return True
        try:
            granted = await self._cluster.grant(
                self._membership.id,
                month=month_of(self._membership.now()),
                limit_tokens=limit_tokens,
                # The sample's own are among them: they are set aside already.
                held_tokens=self._ledger.held_tokens - further_tokens,
                further_tokens=further_tokens,
            )
        except StoreError as exc:
            self._faults.failed(exc)
            return False
        self._ledger.take_up_total(granted.spent_tokens)
        return granted.may_start
