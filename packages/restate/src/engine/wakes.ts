import * as restate from "@restatedev/restate-sdk";
import {
  OBJECT_OPTIONS,
  type ObjectDefinition,
  type ObjectNames,
  sendCall,
  type WakesContext,
  type WakesHandlers,
} from "./objects.ts";

/**
 * After this time another call is sent, in case the first one was lost because somebody has killed it, in
 * milliseconds. If it was not, Restate has the second one wait.
 */
const LOST_MS = 60_000;

/** When a session comes back that has found no place, in milliseconds. */
const COME_BACK_MS = 500;

/**
 * Makes the object that has the wakes of a session. It keeps one call of a session waiting or in progress,
 * and one timer. Its handlers are short, so a wake never waits for a call.
 */
export function makeWakes(names: ObjectNames): ObjectDefinition {
  const startCall = (ctx: WakesContext, call: number, delay = 0) => {
    ctx.set("call", call);
    sendCall(ctx, names, call, delay);
  };
  const wakeNow = async (ctx: WakesContext, now: number) => {
    const call = await ctx.get("call");
    if (call !== null && now - call < LOST_MS) ctx.set("again", true);
    else startCall(ctx, now);
  };
  const wakeLater = async (ctx: WakesContext, afterMs: number, now: number) => {
    const at = now + afterMs;
    const due = await ctx.get("due");
    if (due !== null) {
      if (due.at > now && due.at <= at) return;
      ctx.cancel(due.id);
      // Its timer waits behind this wake, or another worker has set it by a clock that is behind.
      if (due.at <= now) await wakeNow(ctx, now);
    }
    const { invocationId } = ctx
      .objectSendClient<WakesHandlers>({ name: names.wakes }, ctx.key)
      .due(at, restate.rpc.sendOpts({ delay: afterMs }));
    ctx.set("due", { at, id: await invocationId });
  };
  const handlers: WakesHandlers = {
    wake: async (ctx, { sentAt, afterMs = 0 }) => {
      // A wake may have waited for a worker.
      if (afterMs > 0) await wakeLater(ctx, afterMs, await ctx.date.now());
      else await wakeNow(ctx, sentAt);
    },
    due: async (ctx, at) => {
      const due = await ctx.get("due");
      if (due?.at !== at) return;
      ctx.clear("due");
      await wakeNow(ctx, at);
    },
    // A new call in place of this one, so that a session which waits for long does not seem lost. If another
    // call was sent meanwhile, that one is enough.
    comeBack: async (ctx, { call, at }) => {
      if ((await ctx.get("call")) === call) startCall(ctx, at, COME_BACK_MS);
    },
    done: async (ctx, { call, at }) => {
      if ((await ctx.get("call")) !== call) return;
      const again = await ctx.get("again");
      ctx.clear("again");
      if (again === null) ctx.clear("call");
      else startCall(ctx, at);
    },
    forget: async (ctx) => {
      const due = await ctx.get("due");
      if (due !== null) ctx.cancel(due.id);
      ctx.clear("due");
      ctx.clear("again");
    },
  };
  return restate.object({ name: names.wakes, handlers, options: OBJECT_OPTIONS });
}
