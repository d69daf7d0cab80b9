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
  harmless: string,
  bodyOf: (json: string) => string,
  dialect?: () => Dialect,
  path = "/runs",
): Door => ({
  name,
  harmless,
  open: () => {
    const { serve, errors } = app(dialect?.());
    return { errors, knock: (json) => post(serve, path, bodyOf(json)) };
  },
});

interface Asked {
  sessionId: string;
  callId: string;
  seq: number;
}

/** A door to an open question of a tool, which each value answers. */
const question = (
  name: string,
  harmless: string,
  called: string,
  bodyOf = (value: string, { sessionId, callId, seq }: Asked) =>
    `{"sessionId":"${sessionId}","answers":[{"callId":"${callId}","question":${seq},"value":${value}}]}`,
  dialect?: () => Dialect,
): Door => ({
  name,
  harmless,
  open: () => {
    const { pawl, serve, errors } = app(dialect?.());
    return {
      errors,
      knock: async (json) => {
        const clientTools = called === "read" ? [PAGE_TOOL] : [];
        const { sessionId, pending } = await pawl.run("a", { userId: "u", input: called, clientTools })
          .result;
        const [open] = pending;
        if (open === undefined) throw new Error(`${called} asked nothing.`);
        return await post(serve, "/runs", bodyOf(json, { ...open, sessionId }));
      },
    };
  },
});

/** A door to an upload. `contentOf` puts the value into a file, whose characters are bytes. */
const upload = (what: string, contentOf: (json: string) => string, harmless = '"a"'): Door => ({
  name: `files: ${what}`,
  harmless,
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
    messages: HELLO,
  };
  return `${JSON.stringify({ ...empty, [field]: undefined }).slice(0, -1)},"${field}":${json}}`;
};
/** The part of a JPEG that has its size. */
const FRAME = "\xff\xc0\0\x0b\x08\0\x01\0\x01\x01\x01\x11\0";

const PICKED = '{"tags":[{"id":"a"}]}';

/** A door to a session whose run was stopped. `SESSION` and `RUN` in a request become its ids. */
const stopped = (name: string, harmless: string, bodyOf: (json: string) => string, path = "/runs"): Door => ({
  name,
  harmless,
  open: async () => {
    const { pawl, serve, errors } = app();
    return {
      errors,
      knock: async (json) => {
        const run = pawl.run("a", { userId: "u", input: "pick" });
        const { sessionId, runId } = await run.result;
        await pawl.stop(sessionId, { userId: "u" });
        const filled = (text: string) => text.replaceAll("SESSION", sessionId).replaceAll("RUN", runId);
        return await post(serve, filled(path), filled(bodyOf(json)));
      },
    };
  },
});

const HELLO = [{ id: "m", role: "user", content: "Hi" }];
const AG_UI = [
  ["messages", JSON.stringify(HELLO)],
  ["resume", "[]"],
  ["tools", '[{"name":"read","description":"d","parameters":{"type":"object"}}]'],
  ["context", '[{"description":"d","value":"v"}]'],
  ["state", '{"a":1}'],
  ["forwardedProps", '{"a":1}'],
] as const;

const USER = '[{"id":"m","role":"user","parts":[{"type":"text","text":"Hi"}]}]';
const MESSAGE = '{"message":"Hi"}';
const BODIES = [
  ["aiSdk", uiMessages(USER), aiSdk],
  ["agUi", agUiBody("messages", JSON.stringify(HELLO)), agUi],
  ["asp", MESSAGE, asp],
  ["coach", '{"messages":[{"role":"user","content":"Hi"}]}', coach],
  ["metrics", MESSAGE, metrics],
  ["trainer", MESSAGE, trainer],
] as const;

export const HANDLER_DOORS: readonly Door[] = [
  door("native: body", '{"input":"Hi"}', whole),
  door("native: input", '"Hi"', (json) => `{"input":${json}}`),
  question(
    "native: answers",
    `[{"callId":"CALL","value":${PICKED}}]`,
    "pick",
    (json, { sessionId, callId }) =>
      `{"sessionId":"${sessionId}","answers":${json.replaceAll("CALL", callId)}}`,
  ),
  door("native: tools", JSON.stringify([PAGE_TOOL]), (json) => `{"input":"Hi","tools":${json}}`),
  stopped("native: sessionId", '"SESSION"', (json) => `{"input":"Hi","sessionId":${json}}`),
  door("native: clientMessageId", '"m1"', (json) => `{"input":"Hi","clientMessageId":${json}}`),
  stopped("native: retry", '"RUN"', (json) => `{"sessionId":"SESSION","retry":${json}}`),
  question("native: answer, by zod", PICKED, "pick"),
  question("native: answer, by JSON Schema", '{"tags":[{}]}', "choose"),
  question("native: result of a page's tool", '"a"', "read"),
  stopped("stop: body", "{}", whole, "/sessions/SESSION/stop"),
  ...BODIES.map(([name, harmless, dialect]) => door(`${name}: body`, harmless, whole, dialect)),
  door("aiSdk: messages", USER, uiMessages, aiSdk),
  door(
    "aiSdk: parts",
    '[{"type":"text","text":"Hi"}]',
    (json) => uiMessages(`[{"id":"m","role":"user","parts":${json}}]`),
    aiSdk,
  ),
  door(
    "aiSdk: metadata",
    '{"a":1}',
    (json) =>
      uiMessages(`[{"id":"m","role":"user","metadata":${json},"parts":[{"type":"text","text":"Hi"}]}]`),
    aiSdk,
  ),
  question(
    "aiSdk: output of a tool",
    '"a"',
    "read",
    (json, { sessionId, callId }) => {
      const part = `{"type":"tool-read","toolCallId":"${callId}","state":"output-available","input":{},"output":${json}}`;
      return `{"id":"${sessionId}","messages":[{"id":"m","role":"assistant","parts":[${part}]}]}`;
    },
    aiSdk,
  ),
  ...AG_UI.map(([field, harmless]) =>
    door(`agUi: ${field}`, harmless, (json) => agUiBody(field, json), agUi),
  ),
  upload("a text", (json) => json),
  upload("a PDF", (json) => `%PDF-1.7\n${json}\n%%EOF`),
  upload("pages of a PDF", ({ length }) => `%PDF-1.7\n${"1 0 obj<</Type/Page>>endobj ".repeat(length / 28)}`),
  upload("a PNG", (json) => `\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01${json}`),
  upload("a JPEG", (json) => `\xff\xd8\xff\xe0\0\x10${json}`, `${"a".repeat(14)}${FRAME}`),
  upload("segments of a JPEG", ({ length }) => `\xff\xd8${"\xff\xe0\0\x02".repeat(length / 4)}${FRAME}`),
  upload("a GIF", (json) => `GIF89a\x01\0\x01\0${json}`),
  upload("a WebP", (json) => `RIFF\0\0\0\x10WEBPVP8X${json}`, `\x0a${"\0".repeat(13)}`),
];
