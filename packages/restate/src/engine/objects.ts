import * as restate from "@restatedev/restate-sdk";
import type { Calls } from "./calls.ts";

/** A wake, and when it was sent, in milliseconds since 1970. */
export interface WakeMessage {
  sentAt: number;
  /** The time to wake the session. Default: at once. */
  at?: number;
}

/** The names of the virtual objects of an engine. The key of each is the id of a session. */
export interface ObjectNames {
  /** Has the wakes of a session, and sends its calls. */
  wakes: string;
  /** Calls the handler. Restate runs one call of a session at a time. */
  sessions: string;
}

/** What Restate keeps for a session. A session that is neither at work nor waiting has nothing. */
type WakeState = {
  /** When the call was sent that waits or is in progress. It is also the call's name. */
  call: number;
  /** Whether a wake has come since then. */
  again: boolean;
  /** The timer of the earliest wake for a time. */
  due: { at: number; id: restate.InvocationId };
};
type WakesContext = restate.ObjectContext<WakeState>;
/** What sends a call or a wake to the session of a handler. */
type Sender = Pick<restate.ObjectContext, "key" | "objectSendClient">;

type Wakes = {
  wake(ctx: WakesContext, wake: WakeMessage): Promise<void>;
  due(ctx: WakesContext, at: number): Promise<void>;
  done(ctx: WakesContext, end: { call: number; at: number }): Promise<void>;
  forget(ctx: WakesContext): Promise<void>;
};
type Sessions = { run(ctx: restate.ObjectContext, call: number): Promise<void> };

/**
 * After this time another call is sent, in case the first one was lost because somebody has killed it, in
 * milliseconds. If it was not, Restate lets the second one wait.
 */
const LOST_MS = 60_000;

/** When a session comes back that has found no place, in milliseconds. */
const COME_BACK_MS = 500;

const OPTIONS: restate.ObjectOptions = {
  // Restate would keep what each wake has done for a day.
  journalRetention: 0,
  // By default a call that has failed 70 times waits for a person.
  retryPolicy: {
    initialInterval: 50,
    exponentiationFactor: 2,
    maxInterval: 10_000,
    maxAttempts: 1_000_000_000,
    onMaxAttempts: "kill",
  },
};

const SESSION_OPTIONS: restate.ObjectOptions = {
  ...OPTIONS,
  ingressPrivate: true,
  // A call says nothing to Restate until it is over. By default it would be aborted after 11 minutes.
  inactivityTimeout: { days: 1 },
  abortTimeout: { minutes: 1 },
};

/** The definition of a virtual object, to be bound to an endpoint of Restate's SDK. */
export type ObjectDefinition = restate.VirtualObjectDefinition<string, unknown>;

/** Makes the virtual objects of an engine. */
export function makeObjects({ wakes, sessions }: ObjectNames, calls: Calls): ObjectDefinition[] {
  const wakesOf = (ctx: Sender) => ctx.objectSendClient<Wakes>({ name: wakes }, ctx.key);
  const startCall = (ctx: Sender, call: number, options?: { delay: number }) => {
    ctx
      .objectSendClient<Sessions>({ name: sessions }, ctx.key)
      .run(call, restate.rpc.sendOpts(options ?? {}));
  };
  const wakeNow = async (ctx: WakesContext, now: number) => {
    const call = await ctx.get("call");
    if (call !== null && now - call < LOST_MS) {
      ctx.set("again", true);
      return;
    }
    ctx.set("call", now);
    startCall(ctx, now);
  };
  const wakeLater = async (ctx: WakesContext, at: number, now: number) => {
    const due = await ctx.get("due");
    if (due !== null) {
      // Its timer waits behind this wake.
      if (due.at <= now) await wakeNow(ctx, now);
      else if (due.at <= at) return;
      else ctx.cancel(due.id);
    }
    const { invocationId } = wakesOf(ctx).due(at, restate.rpc.sendOpts({ delay: at - now }));
    ctx.set("due", { at, id: await invocationId });
  };
  const forWakes: Wakes = {
    wake: async (ctx, { sentAt, at }) => {
      // A wake may have waited for a worker.
      const now = at === undefined ? sentAt : await ctx.date.now();
      if (at === undefined || at <= now) await wakeNow(ctx, now);
      else await wakeLater(ctx, at, now);
    },
    due: async (ctx, at) => {
      const due = await ctx.get("due");
      if (due?.at !== at) return;
      ctx.clear("due");
      await wakeNow(ctx, at);
    },
    done: async (ctx, { call, at }) => {
      if ((await ctx.get("call")) !== call) return;
      const again = await ctx.get("again");
      ctx.clear("again");
      if (again === null) {
        ctx.clear("call");
        return;
      }
      ctx.set("call", at);
      startCall(ctx, at);
    },
    forget: async (ctx) => {
      const due = await ctx.get("due");
      if (due !== null) ctx.cancel(due.id);
      ctx.clear("due");
      ctx.clear("again");
    },
  };
  const forSessions: Sessions = {
    run: async (ctx, call) => {
      const { attemptCompletedSignal: signal } = ctx.request();
      // The result decides what is sent, so Restate keeps it.
      const work = async () => ({ worked: await calls.call(ctx.key, signal), at: Date.now() });
      try {
        const { worked, at } = await ctx.run("work", work);
        if (worked) wakesOf(ctx).done({ call, at });
        else startCall(ctx, call, { delay: COME_BACK_MS });
      } catch (error) {
        // Somebody has cancelled the call.
        if (error instanceof restate.TerminalError) wakesOf(ctx).done({ call, at: call });
        throw error;
      }
    },
  };
  return [
    restate.object({ name: wakes, handlers: forWakes, options: OPTIONS }),
    restate.object({ name: sessions, handlers: forSessions, options: SESSION_OPTIONS }),
  ];
}
