import type { StoredOf } from "../../log/event.ts";
import type { Session } from "../../log/session-row.ts";
import { accessTo, askedAfter, newAccess, renewed } from "./access.ts";
import type { Callers, OwnAccess } from "./callers.ts";
import type { AskedBy, Host } from "./host.ts";
import { sessionCredentials } from "./session-credentials.ts";

/** Makes the callers of a session that the request of `from` has opened. */
export function callersOf(host: Host, session: Session, from: AskedBy): Callers {
  const credentials = sessionCredentials(host.clock, from.credentials);
  const answers: StoredOf<"tool_answered">[] = [];
  let next: { seq: number; access: OwnAccess } | undefined;
  const callers: Callers = {
    ...credentials,
    ofRun: (open) => accessTo(host, session, from, open),
    note: (event) => {
      if (event.type === "run_started") answers.length = 0;
      if (event.type === "tool_answered" && namesCaller(event)) answers.push(event);
    },
    get hasNew() {
      return answers.length > 0;
    },
    forget: () => {
      answers.length = 0;
    },
    renew: async (leg, use) => {
      const taken = [...answers];
      const access = await renewed(host, leg, await askedAfter(leg, taken, credentials));
      if (access !== undefined) await use(access);
      answers.splice(0, taken.length);
    },
    ofMessage: async ({ seq, data: { caller, credentials: has } }) => {
      if (next?.seq === seq) return next.access;
      const own = has === true ? await credentials.of(seq) : undefined;
      next = { seq, access: newAccess(host, session, { caller, credentials: own }) };
      return next.access;
    },
    ofNextRun: () => next?.access ?? newAccess(host, session, {}),
    close: () => {
      // The next lease of this process may have begun.
      if (host.callers.get(session.id) === callers) host.callers.delete(session.id);
    },
  };
  host.callers.set(session.id, callers);
  return callers;
}

/** Returns whether an answer came with a caller or credentials. */
function namesCaller({ data }: StoredOf<"tool_answered">): boolean {
  return data.caller !== undefined || data.credentials === true;
}
