import { inNextTurn } from "./next-turn.ts";

/**
 * Resolves in the next turn of the event loop, after timers, sockets and other input. A loop over sessions or
 * events awaits this now and then: awaiting a store that answers at once, e.g. SQLite, lets nothing else run.
 */
export const giveWay = (): Promise<void> => new Promise(inNextTurn);
