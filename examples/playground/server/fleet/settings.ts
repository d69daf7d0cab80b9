/** What a worker process gets from the server, as JSON in the environment variable `FLEET`. */
export interface WorkerSettings {
  /** The worker's name. */
  name: string;
  /** The path of the SQLite file. */
  file: string;
  stepMs: number;
  leaseMs: number;
  strandedMs: number;
  /** The most runs that it works on at a time. */
  places: number;
}

/** What the server sends to a worker that is to freeze. */
export const FREEZE = "freeze";

/** Returns an id that begins with the worker's name. Leases and appends of the log have such ids. */
export function idOf(worker: string): string {
  return `${worker}.${crypto.randomUUID()}`;
}

/** Returns the name of the worker that has made an id; `undefined` if the server has made it. */
export function workerOf(id: unknown): string | undefined {
  return typeof id === "string" ? /^([A-Z][a-z]+(?: \d+)?)\./.exec(id)?.[1] : undefined;
}
