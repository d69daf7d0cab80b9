import * as restate from "@restatedev/restate-sdk";
import type { Calls } from "./calls.ts";
import {
  OBJECT_OPTIONS,
  type ObjectDefinition,
  type ObjectNames,
  type SessionHandlers,
  type WakesHandlers,
} from "./objects.ts";

/** Makes the object that calls the handler, for one call of a session at a time. */
export function makeSessions(names: ObjectNames, calls: Calls): ObjectDefinition {
  const handlers: SessionHandlers = {
    run: async (ctx, call) => {
      const { attemptCompletedSignal: signal } = ctx.request();
      const wakes = ctx.objectSendClient<WakesHandlers>({ name: names.wakes }, ctx.key);
      // What is sent depends on the result, so Restate keeps it.
      const work = async () => ({ hasWorked: await calls.call(ctx.key, signal), at: Date.now() });
      try {
        const { hasWorked, at } = await ctx.run("work", work);
        if (hasWorked) wakes.done({ call, at });
        else wakes.comeBack({ call, at });
      } catch (error) {
        // Somebody has cancelled the call.
        if (error instanceof restate.TerminalError) wakes.done({ call, at: call });
        throw error;
      }
    },
  };
  const options: restate.ObjectOptions = {
    ...OBJECT_OPTIONS,
    ingressPrivate: true,
    // A call says nothing to Restate until it is over. By default it would be aborted after 11 minutes.
    inactivityTimeout: { days: 1 },
    abortTimeout: { minutes: 1 },
  };
  return restate.object({ name: names.sessions, handlers, options });
}
