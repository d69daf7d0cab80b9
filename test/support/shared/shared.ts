/** How often mallory does the worst that is allowed. */
export const TIMES = 20;

/** Something that users share in a process. */
export interface Shared {
  /** Does the worst that a user may do, once. It may never end. */
  worst(userId: string, signal: AbortSignal): Promise<unknown>;
  /** Does what is ordinary. Resolves once it has begun. */
  ordinary(userId: string): Promise<unknown>;
  /** Ends one piece of mallory's work, so that another may begin. Without it, ada's has to begin at once. */
  step?(): Promise<void>;
}

export const never = (): Promise<never> => new Promise<never>(() => undefined);
