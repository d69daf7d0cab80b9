import { SpanStatusCode } from "@opentelemetry/api";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type Sampler,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import {
  type Agent,
  type AgentOptions,
  agent,
  memoryStore,
  type Runtime,
  runtime,
  type StoredEvent,
  systemClock,
} from "@pawl/core";
import { type Reply, scriptedModel, type TestClock } from "@pawl/testing";
import { until } from "../../../../test/support/until.ts";
import { type SpanOptions, withSpans } from "../../src/index.ts";

export const user = { userId: "ada" };

/** A call of a tool without input. */
export const calling = (...names: string[]): Reply => ({
  tools: names.map((name, at) => ({ name, id: `toolu_${name}_${at}`, input: {} })),
});

type Options = Partial<AgentOptions<unknown>> & { clock?: TestClock; spans?: SpanOptions };

/** An agent `coach` over a script whose runs are traced, in one process or several. */
export function traced(script: readonly Reply[], options: Options = {}, sampler?: Sampler) {
  const { clock, spans: spanOptions, ...agentOptions } = options;
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({
    spanProcessors: [new SimpleSpanProcessor(exporter)],
    ...(sampler && { sampler }),
  });
  let aheadMs = 0;
  const log = memoryStore({ now: () => (clock ?? systemClock).now() + aheadMs });
  const coach = agent({
    name: "coach",
    model: scriptedModel(script, { id: "m" }),
    instructions: "Be kind.",
    ...agentOptions,
  }) as Agent<unknown>;
  /** Starts a process. */
  const boot = (): Runtime =>
    runtime({
      agents: [coach],
      store: withSpans(log, { tracer: provider.getTracer("test"), ...spanOptions }),
      onError: () => undefined,
      ...(clock && { testing: { clock } }),
    });
  const pawl = boot();
  const run = (input = "Go"): ReturnType<Runtime["run"]> => pawl.run("coach", { ...user, input });
  const eventsOf = async (sessionId: string): Promise<StoredEvent[]> =>
    await Array.fromAsync(log.read(sessionId));
  return {
    pawl,
    boot,
    log,
    run,
    /** Starts a process once the first one's lease has expired. That one learns it at its next renewal. */
    takeOver: (): Runtime => {
      aheadMs += 60_000;
      return boot();
    },
    /** The spans, in the order of their ends. */
    spans: () => exporter.getFinishedSpans(),
    /** The spans by their names, with `error.type` if they are in error. */
    statuses: (): string[] => exporter.getFinishedSpans().map(statusOf),
    /** Waits until an event is stored, or with `text_delta` until a part of the answer has arrived. */
    reached: async (sessionId: string, type: string): Promise<void> => {
      if (type !== "text_delta")
        return until(async () => (await eventsOf(sessionId)).some((event) => event.type === type));
      for await (const event of pawl.follow(sessionId)) if (event.type === type) return;
    },
  };
}

function statusOf({ name, status, attributes }: ReturnType<InMemorySpanExporter["getFinishedSpans"]>[0]) {
  const failure = attributes["error.type"];
  const isError = status.code === SpanStatusCode.ERROR;
  if (isError !== (failure !== undefined)) throw new Error(`${name}: status and error.type disagree`);
  return isError ? `${name} failed: ${failure}` : name;
}
