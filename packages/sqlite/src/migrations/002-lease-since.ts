/**
 * Keeps when a lease was acquired or renewed, so that one is found whose time was set back: it begins in the
 * future. Empty for a lease of an earlier version.
 */
export const leaseSince: readonly string[] = ["ALTER TABLE agent_sessions ADD COLUMN lease_since INTEGER"];
