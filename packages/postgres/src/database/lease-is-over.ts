/**
 * SQL that continues the condition of a lease that is over. One that begins further in the future than its
 * length counts as over, too: the server's clock was set back since, and its holder would have renewed it.
 */
export const OR_BEGINS_LATER =
  " OR (lease_since < lease_expires_at AND lease_since - clock_timestamp() > lease_expires_at - lease_since)";

/** SQL for whether no lease of a row of `agent_sessions` is live. */
export const LEASE_IS_OVER: string = `(lease_holder IS NULL OR lease_expires_at <= clock_timestamp()${OR_BEGINS_LATER})`;

/**
 * SQL for whether the time has come at which a row of `agent_sessions` wakes. One that is later than a change
 * that lies in the future counts as come: the server's clock was set back since.
 */
export const WAKE_IS_DUE =
  "(wake_at <= clock_timestamp() OR (updated_at > clock_timestamp() AND wake_at > updated_at))";
