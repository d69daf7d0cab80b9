import { randomUUID } from "node:crypto";
import { agent, type EventStore, memoryStore, runtime, type StoredEvent } from "@pawl/core";
import { strictModel } from "@pawl/testing";
import { type CoachData, type CoachDeps, coachTools, instructions } from "../../src/index.ts";

/** A tool call of the model. */
export type Call = readonly [tool: string, input: object];

/** What a call came to. */
export interface Outcome<T = unknown> {
  /** The result as clients get it; `undefined` if the call failed. */
  result: T;
  /** What the model reads. */
  text: string;
  isError: boolean;
}

/** The coach's tools in sessions of one user. */
export interface Bench {
  userId: string;
  /** Makes calls in one turn of a run, and returns what came of each. */
  calls(...calls: Call[]): Promise<Outcome[]>;
  /** Makes one call. */
  call<T>(name: string, input: object): Promise<Outcome<T>>;
}

/** The agent with the coach's tools, played by a script. */
export function coachOf(calls: readonly Call[]) {
  const model = strictModel({
    script: [{ tools: calls.map(([name, input]) => ({ name, input: input as never })) }, { text: "Done." }],
  });
  const coach = agent<CoachDeps>({
    name: "coach",
    model,
    instructions,
    tools: [...coachTools],
    limits: { errorTurns: 5 },
    // Estimates that never reach the simulator's limit.
    estimateTokens: () => 1,
  });
  return { model, coach };
}

export function bench(data: CoachData, userId: string = randomUUID()): Bench {
  const calls: Bench["calls"] = async (...given) => {
    const { model, coach } = coachOf(given);
    const store = memoryStore();
    const pawl = runtime<CoachDeps>({ agents: [coach], store, deps: () => ({ coach: data }) });
    const { sessionId } = await pawl.run("coach", { userId, input: "Go on" }).result;
    if (model.rejected.length > 0) throw new Error(JSON.stringify(model.rejected));
    const results = await resultsIn(store, sessionId);
    const texts = textsIn(model.requests.at(-1)?.messages ?? []);
    return results.map(({ data: { result } }, index) => ({
      result,
      text: texts[index]?.text ?? "",
      isError: texts[index]?.isError ?? false,
    }));
  };
  return {
    userId,
    calls,
    call: async <T>(name: string, input: object) => (await calls([name, input]))[0] as Outcome<T>,
  };
}

async function resultsIn(store: EventStore, sessionId: string) {
  const events: StoredEvent[] = await Array.fromAsync(store.read(sessionId));
  const order = events.flatMap((event) => (event.type === "tool_call" ? [event.data.call_id] : []));
  return events
    .filter((event) => event.type === "tool_result")
    .sort((a, b) => order.indexOf(a.data.call_id) - order.indexOf(b.data.call_id));
}

function textsIn(messages: readonly { content: unknown }[]) {
  return messages
    .flatMap(({ content }) => (Array.isArray(content) ? (content as Record<string, unknown>[]) : []))
    .filter(({ type }) => type === "tool_result")
    .map(({ content, is_error }) => ({
      text: typeof content === "string" ? content : JSON.stringify(content),
      isError: is_error === true,
    }));
}
