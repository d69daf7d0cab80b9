import { SpanStatusCode } from "@opentelemetry/api";
import type { StoredEvent } from "@pawl/core";
import { same } from "../same.ts";
import { type Expected, expectedSpans } from "./expected-spans.ts";
import type { Begun } from "./recorded.ts";
import type { Traced } from "./traced-session.ts";

/** What version 0.1.0 of OpenTelemetry's conventions demands of a span, by its operation. */
const REQUIRED: ReadonlyMap<unknown, readonly string[]> = new Map([
  ["invoke_agent", ["gen_ai.agent.name", "gen_ai.provider.name", "pawl.run.id"]],
  ["chat", ["gen_ai.provider.name", "gen_ai.request.model"]],
  ["execute_tool", ["gen_ai.tool.name", "gen_ai.tool.call.id", "gen_ai.tool.type"]],
]);

/** Asserts that the spans of a session, and of its sub-agents, say what the logs say. */
export async function judgeSpans({ log, store, recorded }: Traced): Promise<void> {
  judgeSession("s", log, recorded.begun);
  const below = log.filter(({ type, data }) => type === "tool_started" && data.tool_name === "below");
  for (const id of new Set(below.map(({ data }) => `s:${Object(data).call_id}`)))
    judgeSession(id, await Array.fromAsync(store.read(id)), recorded.begun);
}

const sessionOf = ({ given }: Begun): string => String(given["gen_ai.conversation.id"]);

function judgeSession(id: string, log: readonly StoredEvent[], all: readonly Begun[]): void {
  const begun = all.filter((one) => sessionOf(one) === id);
  const what = (about: string) => `${about} of ${id}`;
  same(
    begun.filter(({ span }) => !span.ended).map(({ span }) => span.name),
    [],
    what("spans without an end"),
  );
  same(begun.flatMap(lacks), [], what("attributes that are missing when a span begins"));
  same(
    begun.filter((one) => !isBelow(one, all)).map(({ span }) => span.name),
    [],
    what("spans in a wrong place"),
  );
  same(inOrder(begun.map(spanOf)), inOrder(expectedSpans(log)), what("spans"));
}

function lacks({ span, given }: Begun): string[] {
  const operation = given["gen_ai.operation.name"];
  const required = REQUIRED.get(operation) ?? ["gen_ai.operation.name"];
  return required.filter((name) => typeof given[name] !== "string").map((name) => `${span.name}: ${name}`);
}

/** Whether a span is below the one of its run, or that of a sub-agent's run below its call. */
function isBelow({ span, given }: Begun, all: readonly Begun[]): boolean {
  const above = all.find((one) => one.span.spanContext().spanId === span.parentSpanContext?.spanId);
  if (given["gen_ai.operation.name"] !== "invoke_agent")
    return (
      above?.given["gen_ai.operation.name"] === "invoke_agent" &&
      sessionOf(above) === sessionOf({ span, given })
    );
  const [, call] = /:([^:]+)$/.exec(sessionOf({ span, given })) ?? [];
  return above?.given["gen_ai.tool.call.id"] === call;
}

/** A span in the words of `expectedSpans`. */
function spanOf({ span, given }: Begun): Expected {
  const { name, attributes, status } = span;
  const stop = attributes["pawl.stop"];
  const of = given["gen_ai.tool.call.id"] ?? given["pawl.run.id"] ?? given["pawl.turn"];
  const isFailed = status.code === SpanStatusCode.ERROR;
  same(isFailed, attributes["error.type"] !== undefined, `${name}: its status and its error.type`);
  return {
    name,
    of: String(of),
    ...(stop !== undefined && { stop: String(stop) }),
    ...(isFailed && { failed: String(attributes["error.type"]) }),
  };
}

const inOrder = (spans: readonly Expected[]) => spans.map((span) => JSON.stringify(span)).toSorted();
