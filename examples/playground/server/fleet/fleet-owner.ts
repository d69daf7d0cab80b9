import { PawlError } from "@pawl/core";
import type { OpenFleet } from "./open-fleet.ts";

/** Said to everybody but the owner. */
export const ELSEWHERE =
  "The fleet is in use in another browser. It is free again once that one stops it, or five minutes after its page was closed.";

/** Keeps at most one fleet, which belongs to one user. */
export interface FleetOwner {
  isElsewhere(userId: string): boolean;
  /** Returns the user's fleet, and notes that the user is there. Throws if it is another user's. */
  of(userId: string): OpenFleet | undefined;
  give(userId: string, fleet: OpenFleet): void;
  /** Closes the fleet. Resolves once every fleet that there was is closed. */
  end(): Promise<void>;
}

/** Keeps a fleet until its owner has not been there for `idleMs` milliseconds. */
export function fleetOwner(idleMs: number, onError: (error: unknown) => void): FleetOwner {
  let current: { userId: string; fleet: OpenFleet } | undefined;
  let timer: NodeJS.Timeout | undefined;
  let closing = Promise.resolve();
  const end = (): Promise<void> => {
    clearTimeout(timer);
    const closed = current?.fleet.close();
    current = undefined;
    closing = Promise.all([closing, closed?.catch(onError)]).then(() => undefined);
    return closing;
  };
  const touch = () => {
    clearTimeout(timer);
    timer = setTimeout(() => void end(), idleMs).unref();
  };
  const isElsewhere = (userId: string) => current !== undefined && current.userId !== userId;
  return {
    isElsewhere,
    of: (userId) => {
      if (isElsewhere(userId)) throw new PawlError("session_busy", ELSEWHERE);
      if (current !== undefined) touch();
      return current?.fleet;
    },
    give: (userId, fleet) => {
      current = { userId, fleet };
      touch();
    },
    end,
  };
}
