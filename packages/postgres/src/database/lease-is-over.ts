/**
 * SQL that continues the condition of a lease that is over. One that begins further in the future than its
 * length counts as over, too: the server's clock was set back since, and its holder would have renewed it.
 */
export const OR_BEGINS_LATER =
  " OR (lease_since < lease_expires_at AND lease_since - clock_timestamp() > lease_expires_at - lease_since)";

/** SQL for whether no lease of a row of `agent_sessions` is live. */
export const LEASE_IS_OVER: string = `(lease_holder IS NULL OR lease_expires_at <= clock_timestamp()${OR_BEGINS_LATER})`;
