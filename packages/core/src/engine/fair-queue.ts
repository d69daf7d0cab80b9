/** A session and its user. */
export interface WaitingSession {
  sessionId: string;
  userId: string;
}

/**
 * The sessions that wait for a worker, and those that workers have. Users take turns, and so do the sessions
 * of a user. A session is in the queue at most once, however often it is woken. While a worker has it, it is
 * not in the queue.
 */
export interface FairQueue {
  /** The sessions that wait, by user. The user whose turn is next comes first. */
  readonly lines: Map<string, Set<string>>;
  /** The user of each session that waits. */
  readonly users: Map<string, string>;
  /** The sessions that workers have. The value is the user if the session was woken again meanwhile. */
  readonly atWork: Map<string, string | undefined>;
}

/** Makes an empty queue. */
export function newFairQueue(): FairQueue {
  return { lines: new Map(), users: new Map(), atWork: new Map() };
}

/** Adds a session to the queue. If a worker has it, `endWork` adds it. */
export function addWaiting({ lines, users, atWork }: FairQueue, { sessionId, userId }: WaitingSession): void {
  if (atWork.has(sessionId)) atWork.set(sessionId, userId);
  else if (!users.has(sessionId)) {
    users.set(sessionId, userId);
    const line = lines.get(userId) ?? new Set();
    lines.set(userId, line.add(sessionId));
  }
}

/** Removes a session from the queue, if it waits. */
export function removeWaiting({ lines, users }: FairQueue, sessionId: string): void {
  const userId = users.get(sessionId);
  if (userId === undefined) return;
  users.delete(sessionId);
  const line = lines.get(userId);
  line?.delete(sessionId);
  if (line?.size === 0) lines.delete(userId);
}

/**
 * Takes the next session out of the queue, for a worker. It belongs to the user whose turn is next; that user
 * then comes last. Returns `undefined` if no session waits.
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

/** Ends the work on a session. If the session was woken meanwhile, adds it to the queue again. */
export function endWork(queue: FairQueue, sessionId: string): void {
  const userId = queue.atWork.get(sessionId);
  queue.atWork.delete(sessionId);
  if (userId !== undefined) addWaiting(queue, { sessionId, userId });
}
