/** A session and its user. */
export interface WaitingSession {
  sessionId: string;
  userId: string;
}

/**
 * The sessions that wait for a worker, and those that workers have. Users take turns, and so do the sessions
 * of a user. A session waits once, however often it is woken, and not while a worker has it.
 */
export interface FairQueue {
  /** The sessions that wait, by user. The user whose turn is next comes first. */
  readonly lines: Map<string, Set<string>>;
  /** The user of each session that waits. */
  readonly users: Map<string, string>;
  /** The sessions at work; with a user, those that were woken again meanwhile. */
  readonly atWork: Map<string, string | undefined>;
}

/** Returns a queue in which nothing waits. */
export function newFairQueue(): FairQueue {
  return { lines: new Map(), users: new Map(), atWork: new Map() };
}

/** Lets a session wait. If a worker has it, it waits once that work is over. */
export function addWaiting({ lines, users, atWork }: FairQueue, { sessionId, userId }: WaitingSession): void {
  if (atWork.has(sessionId)) atWork.set(sessionId, userId);
  else if (!users.has(sessionId)) {
    users.set(sessionId, userId);
    const line = lines.get(userId) ?? new Set();
    lines.set(userId, line.add(sessionId));
  }
}

/** Takes a session out, if it waits. */
export function removeWaiting({ lines, users }: FairQueue, sessionId: string): void {
  const userId = users.get(sessionId);
  if (userId === undefined) return;
  users.delete(sessionId);
  const line = lines.get(userId);
  line?.delete(sessionId);
  if (line?.size === 0) lines.delete(userId);
}

/**
 * Takes the next session to work on: of the user whose turn it is, who then comes last. `undefined` if none
 * waits.
 */
export function takeWaiting(queue: FairQueue): WaitingSession | undefined {
  const [first] = queue.lines;
  if (first === undefined) return undefined;
  const [userId, line] = first;
  const [sessionId] = line;
  if (sessionId === undefined) return undefined;
  removeWaiting(queue, sessionId);
  if (line.size > 0) {
    queue.lines.delete(userId);
    queue.lines.set(userId, line);
  }
  queue.atWork.set(sessionId, undefined);
  return { sessionId, userId };
}

/** Ends the work on a session. It waits again if it was woken meanwhile. */
export function endWork(queue: FairQueue, sessionId: string): void {
  const userId = queue.atWork.get(sessionId);
  queue.atWork.delete(sessionId);
  if (userId !== undefined) addWaiting(queue, { sessionId, userId });
}
