import { type EventStore, messageOf, promptTokens, type StoredEvent } from "@pawl/core";
import { cacheHitRate } from "@pawl/core/inspect";
import { dataSources } from "../data/sources.ts";
import { sessionLine } from "./session-line.ts";

export interface SessionLogOptions {
  /** Receives each line. Default: `console.log`. */
  print?(line: string): void;
  /** The agent whose sessions are printed. Default: `trainer`. */
  agent?: string;
}

/**
 * Wraps a store so that each event of the trainer's sessions is printed as a line, e.g. `09:05:47.310
 * [7f3e9b20] 👤 User: "Give me a chest workout"`. Prints the session's totals after each run, e.g.
 * `09:05:51.204 [7f3e9b20] Σ 38,700 tokens (34,100 cached, 89 % of the prompts) · $0.0119`. Appends do not
 * wait for the printing.
 *
 * @example
 * ```ts
 * import { memoryStore } from "@pawl/core";
 * import { withSessionLog } from "@pawl/example-trainer";
 *
 * const store = withSessionLog(memoryStore());
 * await store.sessions.create({ id: "s1", userId: "ada", agent: "trainer" });
 * await store.append("s1", [{ type: "user_message", data: { message: "Hi" } }], { appendId: "1" });
 * ```
 */
export function withSessionLog<S extends EventStore>(
  store: S,
  { print = (line) => console.log(line), agent = "trainer" }: SessionLogOptions = {},
): S {
  const names = new Map(dataSources().map(({ name, displayName }) => [name, displayName]));
  let told: Promise<void> = Promise.resolve();
  const tell = async (sessionId: string, events: readonly StoredEvent[]): Promise<void> => {
    const session = await store.sessions.get(sessionId);
    if (session?.agent !== agent) return;
    const context = { batch: events, sourceName: (source: string) => names.get(source) ?? source };
    for (const event of events) {
      const line = sessionLine(event, context);
      print(line);
      if (event.type === "run_ended") print(`${line.split("]")[0]}] ${totals(session)}`);
    }
  };
  return {
    ...store,
    async append(sessionId, events, options) {
      const stored = await store.append(sessionId, events, options);
      told = told
        .then(() => tell(sessionId, stored))
        .catch((error: unknown) => console.error(`An event could not be printed: ${messageOf(error)}`));
      return stored;
    },
  };
}

function totals({ usage, costUsd }: { usage: Parameters<typeof cacheHitRate>[0]; costUsd: number }): string {
  const tokens = (promptTokens(usage) + usage.outputTokens).toLocaleString("en");
  const cached = usage.cacheReadTokens.toLocaleString("en");
  const rate = Math.round(cacheHitRate(usage) * 100);
  return `Σ ${tokens} tokens (${cached} cached, ${rate} % of the prompts) · $${costUsd.toFixed(4)}`;
}
