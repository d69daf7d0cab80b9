import { PawlError } from "../base/errors.ts";
import type { StoredEvent } from "../log/event.ts";
import type { EventStore } from "../log/store/event-store.ts";
import { checkStore } from "../stores/check-store.ts";
import { wrapStore } from "../stores/wrap-store.ts";
import { summaryOf } from "./summary.ts";

/** The icons of event types. The first pattern that matches a type counts. */
const ICONS: readonly (readonly [RegExp, string])[] = [
  [/^user_|^tool_answered$/, "👤"],
  [/^llm_request$/, "📤"],
  [/^llm_response$|^assistant_/, "📥"],
  [/^tool_/, "🔧"],
  [/^artifact$/, "📦"],
  [/^knowledge$|^note$/, "📚"],
  [/^error$/, "❗"],
];

const OTHER_ICON = "▫️";

/**
 * Formats an event as one line: the time in UTC, the first eight characters of the session id, the type and a
 * short summary. The line may contain text that users wrote. For example: `09:05:47.310 [7f3e9b20] 👤
 * user_message “Something for the back”`.
 *
 * @example
 * ```ts
 * import { memoryStore } from "@pawl/core";
 * import { eventLine } from "@pawl/core/inspect";
 *
 * const store = memoryStore();
 * await store.sessions.create({ id: "s1", userId: "ada", agent: "coach" });
 * await store.append("s1", [{ type: "user_message", data: { message: "Hi" } }], { appendId: "a1" });
 * for await (const event of store.read("s1")) console.log(eventLine(event));
 * // 09:05:47.310 [s1] 👤 user_message “Hi”
 * ```
 */
export function eventLine(event: StoredEvent): string {
  const { at, sessionId, type } = event;
  const line = `${at.slice(11, 23)} [${sessionId.slice(0, 8)}] ${iconOf(event)} ${type} ${summaryOf(event)}`;
  // Control characters in the content must not reach the terminal.
  return line.replace(/[\s\p{Cc}\p{Cf}]+/gu, " ").trim();
}

function iconOf(event: StoredEvent): string {
  // The runtime has closed the question, or it has expired: it was not answered by the user.
  if (event.type === "tool_answered" && (event.data.closed !== undefined || event.data.expired))
    return OTHER_ICON;
  return ICONS.find(([types]) => types.test(event.type))?.[1] ?? OTHER_ICON;
}

/**
 * Wraps a store so that it prints one line per stored event. An error in `print` goes to `console.error` and
 * does not affect the events.
 *
 * @param print called with the line and the event; default: `console.log`
 *
 * @example
 * ```ts
 * import { memoryStore } from "@pawl/core";
 * import { withEventLines } from "@pawl/core/inspect";
 *
 * const store = withEventLines(memoryStore());
 * await store.sessions.create({ id: "s1", userId: "ada", agent: "coach" });
 * await store.append("s1", [{ type: "user_message", data: { message: "Hi" } }], { appendId: "1" });
 * // 09:05:47.310 [s1] 👤 user_message “Hi”
 * ```
 */
export function withEventLines(
  store: EventStore,
  print: (line: string, event: StoredEvent) => void = (line) => console.log(line),
): EventStore {
  checkStore("The store of withEventLines()", store);
  return {
    ...wrapStore(store),
    async append(sessionId, events, options) {
      const stored = await store.append(sessionId, events, options);
      try {
        for (const event of stored) print(eventLine(event), event);
      } catch (error) {
        console.error(`pawl: an event could not be printed: ${PawlError.describe(error)}`);
      }
      return stored;
    },
  };
}
