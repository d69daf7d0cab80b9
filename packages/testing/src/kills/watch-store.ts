import { type EventStore, PawlError } from "@pawl/core";
import type { AppendOptions, Lease } from "@pawl/core/store";
import type { WorkerReport } from "./desk.ts";

type Report = WorkerReport extends infer One ? (One extends unknown ? Omit<One, "worker"> : never) : never;

/** Sends a report to the harness. Resolves once it has arrived, or could not be sent. */
export type SendReport = (report: Report) => Promise<void>;

/** Returns the store with a report of each lease that is acquired, lost or released, and of each append. */
export function watchStore(store: EventStore, send: SendReport): EventStore {
  const { append, appendWith, open } = store;
  const took = async (lease: Lease | undefined) => {
    if (lease !== undefined) await send({ kind: "took", sessionId: lease.sessionId, epoch: lease.epoch });
  };
  const gave = ({ sessionId, epoch }: Lease) => send({ kind: "gave", sessionId, epoch });
  const stored = async <T extends Awaited<ReturnType<EventStore["append"]>>>(
    appending: Promise<T>,
    { lease, release }: AppendOptions,
  ): Promise<T> => {
    const events = await appending.catch(async (error: unknown) => {
      if (PawlError.is(error, "fenced")) await send({ kind: "refused" });
      throw error;
    });
    const [first] = events;
    if (first !== undefined) {
      const { sessionId, seq } = first;
      const types = events.map(({ type }) => type);
      void send({ kind: "stored", sessionId, seq, types, ...(lease && { epoch: lease.epoch }) });
    }
    if (release === true && lease !== undefined) await gave(lease);
    return events;
  };
  const watched: Partial<EventStore> = {
    append: (id, events, options) => stored(append.call(store, id, events, options), options),
    appendWith:
      appendWith &&
      ((id, events, options, also) => stored(appendWith.call(store, id, events, options, also), options)),
    open:
      open &&
      (async (session) => {
        const opened = await open.call(store, session);
        await took(opened?.lease);
        return opened;
      }),
    acquire: async (...given) => {
      const lease = await store.acquire(...given);
      await took(lease);
      return lease;
    },
    renew: async (...given) => {
      const isHeld = await store.renew(...given);
      if (!isHeld) await send({ kind: "refused" });
      return isHeld;
    },
    release: async (lease) => {
      await store.release(lease);
      await gave(lease);
    },
  };
  return withOverrides(store, watched);
}

/** Returns `target` with some other methods. It may be an instance of a class with private fields. */
export function withOverrides<T extends object>(target: T, overrides: Partial<T>): T {
  return new Proxy(target, {
    get: (_, name) => {
      if (Object.hasOwn(overrides, name)) return Reflect.get(overrides, name);
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
