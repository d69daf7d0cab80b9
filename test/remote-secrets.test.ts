import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { inspect } from "node:util";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { agent, memoryStore, runtime } from "@pawl/core";
import { withSpans } from "@pawl/otel";
import { remoteTools } from "@pawl/remote";
import { scriptedModel } from "@pawl/testing";
import { expect, it, onTestFinished, vi } from "vitest";

// JSON and URLs encode them differently.
const TOKEN = 'tok_0123456789/abcdef+"quoted"';
const HEADER = "gateway/secret+header+0123";
const QUERY = "query/secret+0123456789";

/** What a careless server repeats. */
const words = ({ headers, url }: IncomingMessage) =>
  `${headers.authorization} ${headers["x-gateway"]} ${decodeURIComponent(url ?? "")} ${JSON.stringify(headers)}`;

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const answers: readonly (readonly [where: string, answer: Answer])[] = [
  ["a result", (request, response) => response.end(JSON.stringify({ result: { words: words(request) } }))],
  [
    "a tool's error",
    (request, response) => response.end(JSON.stringify({ error: { code: "E", message: words(request) } })),
  ],
  [
    "a report",
    (request, response) =>
      response.end(
        JSON.stringify({
          result: 1,
          report: { summary: words(request), connector: "c", fragments: [words(request)] },
        }),
      ),
  ],
  [
    "a refusal",
    (request, response) => response.writeHead(400).end(JSON.stringify({ detail: words(request) })),
  ],
  ["a failure", (request, response) => response.writeHead(500, { "x-echo": "1" }).end(words(request))],
  ["no JSON", (request, response) => response.end(words(request))],
  [
    "a redirect",
    (request, response) =>
      response.writeHead(307, { location: `/?${encodeURIComponent(words(request))}` }).end(),
  ],
  ["nothing", (request) => request.socket.destroy()],
];

async function serve(answer: Answer): Promise<string> {
  const server = createServer((request, response) => {
    if (!request.url?.startsWith("/tools/schema")) return answer(request, response);
    const look = { name: "look", description: words(request), input_schema: { type: "object" } };
    response.end(JSON.stringify({ tools: [look] }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}?key=${encodeURIComponent(QUERY)}`;
}

it.each(answers)(
  "F17 W5 no credential of a remote call is in a log, an error or a span: %s",
  async (_, answer) => {
    const printed: unknown[][] = [];
    for (const method of ["log", "warn", "error"] as const) {
      const spy = vi.spyOn(console, method).mockImplementation((...args) => void printed.push(args));
      onTestFinished(() => spy.mockRestore());
    }
    const exporter = new InMemorySpanExporter();
    const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
    const store = memoryStore();
    const errors: unknown[] = [];
    const url = await serve(answer);
    const coach = agent({
      name: "coach",
      model: scriptedModel([{ tools: [{ name: "look", input: {} }] }, { text: "Seen." }]),
      instructions: "You coach.",
      tools: remoteTools({ url, token: TOKEN, headers: { "x-gateway": HEADER } }),
    });
    const spans = withSpans(store, { tracer: provider.getTracer("test"), content: true });
    const pawl = runtime({ agents: [coach], store: spans, onError: (error) => errors.push(error) });
    const { sessionId, actions, stop } = await pawl.run("coach", { userId: "ada", input: "Look!" }).result;
    expect([stop.type, actions.length]).toEqual(["end_turn", 1]);

    const log = await Array.fromAsync(store.read(sessionId));
    const everything = inspect([log, errors, printed, exporter.getFinishedSpans()], {
      depth: 20,
      maxStringLength: null,
    });
    expect(exporter.getFinishedSpans().length).toBeGreaterThan(1);
    for (const part of ["0123456789/abcdef", "secret+header", "query/secret", encodeURIComponent(QUERY)])
      expect(everything).not.toContain(part);
  },
);

it("F17 no credential is in the error of a list that cannot be read", async () => {
  const server = createServer((request, response) =>
    response.writeHead(403).end(JSON.stringify({ detail: words(request) })),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}?key=${encodeURIComponent(QUERY)}`;
  const coach = agent({
    name: "coach",
    model: scriptedModel([]),
    instructions: "You coach.",
    tools: remoteTools({ url, token: TOKEN, headers: { "x-gateway": HEADER } }),
  });
  const pawl = runtime({ agents: [coach], store: memoryStore() });
  const error = await pawl
    .run("coach", { userId: "ada", input: "Hi" })
    .result.catch((cause: unknown) => cause);
  expect(error).toMatchObject({ code: "tools_failed" });
  const shown = inspect(error, { depth: 20 });
  for (const part of ["0123456789/abcdef", "secret+header", "query/secret", encodeURIComponent(QUERY)])
    expect(shown).not.toContain(part);
});
