import { agent, jsonSchema, memoryFiles, memoryStore, runtime, tool } from "@pawl/core";
import { agUi, aiSdk, type Dialect, handler } from "@pawl/sse";
import { asp, coach, metrics, trainer } from "@pawl/sse/dialects";
import { scriptedModel } from "@pawl/testing";
import * as z from "zod";
import { type Door, type Outcome, refused, TAKEN } from "./door.ts";

const tags = z.object({ tags: z.array(z.object({ id: z.string() })) });
const picked = jsonSchema({
  type: "object",
  properties: { tags: { type: "array", items: { type: "object" } } },
});
const asking = (name: string, answer: typeof tags | typeof picked) =>
  tool({ name, description: "Asks.", input: z.object({}), suspends: { answer } });
const PAGE_TOOL = { name: "read", description: "Reads the page.", inputSchema: { type: "object" } };

/** An app whose model calls the tool that the user's message names, and else answers. */
function app(dialect?: Dialect) {
  const model = scriptedModel(({ messages }) => {
    const last = JSON.stringify(messages.at(-1)?.content ?? "");
    const name = /"(?:text":")?(pick|choose|read)"/.exec(last)?.[1];
    return name === undefined ? { text: "Ok." } : { tools: [{ name, input: {} }] };
  });
  const clerk = agent({
    name: "a",
    instructions: "i",
    model,
    tools: [asking("pick", tags), asking("choose", picked)],
    clientTools: true,
    limits: { turns: 1_000 },
  });
  const errors: unknown[] = [];
  const onError = (error: unknown) => errors.push(error);
  const pawl = runtime({ agents: [clerk], store: memoryStore(), files: memoryFiles(), onError });
  const serve = handler({
    runtime: pawl,
    agent: "a",
    authorize: () => ({ userId: "u" }),
    onError,
    onWarning: () => undefined,
    ...(dialect && { dialect }),
  });
  return { pawl, serve, errors };
}

type Serve = ReturnType<typeof app>["serve"];

async function post(
  serve: Serve,
  path: string,
  body: string | Uint8Array<ArrayBuffer>,
  type = "application/json",
): Promise<Outcome> {
  const request = new Request(`http://app${path}`, {
    method: "POST",
    body,
    headers: { "content-type": type },
  });
  const response = await serve(request);
  const text = await response.text();
  if (response.status >= 500) throw new Error(`${response.status}: ${text.slice(0, 500)}`);
  // AG-UI and the AI SDK have a refusal in their streams.
  const isRefused = !response.ok || /"type":"(RUN_ERROR|error)"/.test(text);
  return isRefused ? refused(text) : TAKEN;
}

/** A door to a handler: `bodyOf` puts the value into a body. */
const door = (
  name: string,
  bodyOf: (json: string) => string,
  dialect?: () => Dialect,
  path = "/runs",
): Door => ({
  name,
  open: () => {
    const { serve, errors } = app(dialect?.());
    return { errors, knock: (json) => post(serve, path, bodyOf(json)) };
  },
});

/** A door to an open question of a tool, which each value answers. */
const question = (name: string, called: string): Door => ({
  name,
  open: () => {
    const { pawl, serve, errors } = app();
    return {
      errors,
      knock: async (json) => {
        const clientTools = called === "read" ? [PAGE_TOOL] : [];
        const { sessionId, pending } = await pawl.run("a", { userId: "u", input: called, clientTools })
          .result;
        const [open] = pending;
        if (open === undefined) throw new Error(`${called} asked nothing.`);
        const answer = `{"callId":"${open.callId}","question":${open.seq},"value":${json}}`;
        return await post(serve, "/runs", `{"sessionId":"${sessionId}","answers":[${answer}]}`);
      },
    };
  },
});

/** A door to an upload. `contentOf` puts the value into a file, whose characters are bytes. */
const upload = (what: string, contentOf: (json: string) => string): Door => ({
  name: `files: ${what}`,
  open: () => {
    const { serve, errors } = app();
    const knock = (json: string) =>
      post(serve, "/files?name=a", Buffer.from(contentOf(json), "latin1"), "application/octet-stream");
    return { errors, knock };
  },
});

const whole = (json: string) => json;
const uiMessages = (messages: string) => `{"id":"x","messages":${messages}}`;
const agUiBody = (field: string, json: string) => {
  const empty = {
    threadId: "t",
    runId: "r",
    state: {},
    tools: [],
    context: [],
    forwardedProps: {},
    messages: [],
  };
  return `${JSON.stringify({ ...empty, [field]: undefined }).slice(0, -1)},"${field}":${json}}`;
};
const DIALECTS = { aiSdk, agUi, asp, coach, metrics, trainer } as const;

export const HANDLER_DOORS: readonly Door[] = [
  door("native: body", whole),
  ...["input", "answers", "tools", "sessionId", "clientMessageId", "retry"].map((field) =>
    door(`native: ${field}`, (json) => `{"input":"Hi","${field}":${json}}`),
  ),
  question("native: answer, by zod", "pick"),
  question("native: answer, by JSON Schema", "choose"),
  question("native: result of a page's tool", "read"),
  door("stop: body", whole, undefined, "/sessions/none/stop"),
  ...Object.entries(DIALECTS).map(([name, dialect]) => door(`${name}: body`, whole, dialect)),
  door("aiSdk: messages", uiMessages, aiSdk),
  door("aiSdk: parts", (json) => uiMessages(`[{"id":"m","role":"user","parts":${json}}]`), aiSdk),
  door(
    "aiSdk: metadata",
    (json) =>
      uiMessages(`[{"id":"m","role":"user","metadata":${json},"parts":[{"type":"text","text":"Hi"}]}]`),
    aiSdk,
  ),
  door(
    "aiSdk: output of a tool",
    (json) =>
      uiMessages(
        `[{"id":"m","role":"assistant","parts":[{"type":"tool-read","toolCallId":"c","state":"output-available","input":{},"output":${json}}]}]`,
      ),
    aiSdk,
  ),
  ...["messages", "resume", "tools", "context", "state", "forwardedProps"].map((field) =>
    door(`agUi: ${field}`, (json) => agUiBody(field, json), agUi),
  ),
  upload("a text", (json) => json),
  upload("a PDF", (json) => `%PDF-1.7\n${json}\n%%EOF`),
  upload("pages of a PDF", ({ length }) => `%PDF-1.7\n${"1 0 obj<</Type/Page>>endobj ".repeat(length / 28)}`),
  upload("a PNG", (json) => `\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01${json}`),
  upload("a JPEG", (json) => `\xff\xd8\xff\xe0\0\x10${json}`),
  upload("segments of a JPEG", ({ length }) => `\xff\xd8${"\xff\xe0\0\x02".repeat(length / 4)}`),
  upload("a GIF", (json) => `GIF89a\x01\0\x01\0${json}`),
  upload("a WebP", (json) => `RIFF\0\0\0\x10WEBPVP8X${json}`),
];
