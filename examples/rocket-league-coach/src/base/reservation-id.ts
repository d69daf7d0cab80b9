/**
 * Returns the id of the reservation for one request of a user. The front and the backend derive it alike, so
 * a request that is sent twice reserves once, and a run finds its reservation in any process.
 */
export function reservationIdOf(userId: string, requestId: string): string {
  return `${encodeURIComponent(userId)}:${requestId}`;
}

/** The agent's name. Session ids are derived from it, so it must never change. */
export const COACH = "rocket-league-coach";
