import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { agent, approval, memoryStore, runtime, tool } from "@pawl/core";
import { type Reply, strictModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { formOf } from "../src/server/form.ts";
import { mcpHandler } from "../src/server.ts";
import { connectTo } from "./support/servers.ts";
import { calls, resultOf, world } from "./support/world.ts";

const stateKey = "k".repeat(40);

/** An agent that is served, in a process of its own over this store. */
function serveAgent(
  script: readonly Reply[],
  store = memoryStore(),
  paid: number[] = [],
  output?: z.ZodType,
) {
  const pay = tool({
    name: "pay",
    description: "Pays.",
    input: z.object({ euros: z.number() }),
    execute: ({ euros }) => {
      paid.push(euros);
      return `Paid ${euros}.`;
    },
  });
  const model = strictModel({ script: [...script] });
  const clerk = agent({
    name: "clerk",
    model,
    instructions: "You pay.",
    tools: [pay],
    hooks: [approval({ when: ["pay"] })],
    ...(output && { output }),
  });
  const handler = mcpHandler({
    runtime: runtime({ agents: [clerk], store, times: { pollMs: 10 } }),
    agent: clerk,
    description: "Pays bills.",
    stateKey,
    authorize: (request) => {
      const userId = request.headers.get("authorization")?.slice(7);
      return userId === undefined ? null : { userId };
    },
  });
  const fetcher = ((input: string, init?: RequestInit) => handler(new Request(input, init))) as typeof fetch;
  return { fetch: fetcher, store, paid };
}

interface ClientFacts {
  mode?: "auto" | "legacy";
  capabilities?: object;
}

/** The official client, as one user. */
async function connect(
  served: { fetch: typeof fetch },
  userId: string,
  { mode = "auto", capabilities = { elicitation: { form: {} } } }: ClientFacts = {},
): Promise<Client> {
  const client = new Client(
    { name: "official", version: "1" },
    {
      versionNegotiation: { mode },
      capabilities,
      inputRequired: { autoFulfill: false },
    },
  );
  const authProvider = { token: async () => userId };
  const { fetch } = served;
  await client.connect(
    new StreamableHTTPClientTransport(new URL("https://x.example.com/mcp"), { fetch, authProvider }),
  );
  return client;
}

type Answered = {
  resultType?: string;
  requestState?: string;
  inputRequests?: Record<string, { params: { message: string } }>;
  content?: { text: string }[];
  structuredContent?: { session: string };
  isError?: boolean;
};

const ask = async (client: Client, args: object, more: object = {}): Promise<Answered> =>
  (await client.callTool({ name: "ask", arguments: args as never, ...more } as never, {
    allowInputRequired: true,
  })) as Answered;

const paying: Reply[] = [
  { tools: [{ name: "pay", id: "p1", input: { euros: 80 } }] },
  { text: "It is paid." },
];
const yes = { answer: { action: "accept", content: { approved: true } } };

describe("an agent as an MCP server", () => {
  it("F24 runs for a call of the official client, and continues its session", async () => {
    const client = await connect(serveAgent([{ text: "Hello." }, { text: "Again." }]), "ada");
    const first = await ask(client, { message: "Hi" });
    expect(first).toMatchObject({ content: [{ text: "Hello." }] });
    const again = await ask(client, { message: "More", session: first.structuredContent?.session });
    expect(again).toMatchObject({
      content: [{ text: "Again." }],
      structuredContent: first.structuredContent && { session: first.structuredContent.session },
    });
    await client.close();
  });

  it("F24 P1 asks by `input_required`, and takes the answer once, in another process", async () => {
    const store = memoryStore();
    const paid: number[] = [];
    const client = await connect(serveAgent(paying, store, paid), "ada");
    const asked = await ask(client, { message: "Pay" });
    expect(asked.resultType).toBe("input_required");
    expect(Object.values(asked.inputRequests ?? {})[0]?.params.message).toMatch(/Approve .*80/);
    const resume = { inputResponses: yes, requestState: asked.requestState };
    const other = await connect(serveAgent(paying.slice(1), store, paid), "ada");
    expect(await ask(other, { message: "Pay" }, resume)).toMatchObject({
      content: [{ text: "It is paid." }],
    });
    expect(await ask(other, { message: "Pay" }, resume)).toMatchObject({ content: [{ text: /paid/ }] });
    expect(paid).toEqual([80]);
  });

  it("F24 E11 refuses the state of another user, and a changed one", async () => {
    const paid: number[] = [];
    const served = serveAgent(paying, memoryStore(), paid);
    const { requestState } = await ask(await connect(served, "ada"), { message: "Pay" });
    const bob = await connect(served, "bob");
    await expect(ask(bob, { message: "Pay" }, { inputResponses: yes, requestState })).rejects.toThrow();
    const ada = await connect(served, "ada");
    const changed = `${requestState}x`;
    await expect(
      ask(ada, { message: "Pay" }, { inputResponses: yes, requestState: changed }),
    ).rejects.toThrow();
    expect(paid).toEqual([]);
  });

  it.each<[string, ClientFacts]>([
    ["without capabilities", { capabilities: {} }],
    ["that only opens pages", { capabilities: { elicitation: { url: {} } } }],
    ["of an older protocol", { mode: "legacy" }],
  ])("F24 leaves no waiting run behind for a client that cannot show its question: %s", async (_, facts) => {
    const store = memoryStore();
    const paid: number[] = [];
    const served = serveAgent([...paying.slice(0, 1), { text: "You are welcome." }], store, paid);
    const client = await connect(served, "ada", facts);
    const told = await ask(client, { message: "Pay" });
    expect(told).toMatchObject({
      isError: true,
      content: [{ text: /Approve .*80.* cannot show questions/ }],
    });
    const [row] = await store.sessions.list({ userId: "ada" });
    expect(row).toMatchObject({ id: told.structuredContent?.session, status: "active" });
    expect(row?.openRun ?? undefined).toBeUndefined();
    const next = await ask(client, { message: "Thanks", session: row?.id });
    expect(next).toMatchObject({ content: [{ text: "You are welcome." }] });
    expect(paid).toEqual([]);
  });

  it("F24 takes a no", async () => {
    const paid: number[] = [];
    const client = await connect(
      serveAgent([...paying.slice(0, 1), { text: "Then not." }], memoryStore(), paid),
      "ada",
    );
    const { requestState } = await ask(client, { message: "Pay" });
    const no = { inputResponses: { answer: { action: "decline" } }, requestState };
    expect(await ask(client, { message: "Pay" }, no)).toMatchObject({ content: [{ text: "Then not." }] });
    expect(paid).toEqual([]);
  });

  it("F24 E11 is 401 without a user, and another user's session does not exist", async () => {
    const served = serveAgent([{ text: "Hello." }]);
    const refused = await served.fetch("https://x.example.com/mcp", { method: "POST", body: "{}" });
    expect(refused.status).toBe(401);
    const { structuredContent } = await ask(await connect(served, "ada"), { message: "Hi" });
    const bob = await ask(await connect(served, "bob"), {
      message: "Hi",
      session: structuredContent?.session,
    });
    expect(bob).toMatchObject({ isError: true, content: [{ text: "There is no such session." }] });
  });

  it.each([
    [{ question: "Water the tomatoes?" }, "confirm: Water the tomatoes?"],
    ["Water them?", "confirm: Water them?"],
    [{ question: "Pay?", euros: 5 }, 'confirm: {"question":"Pay?","euros":5}'],
    [{ euros: 5 }, 'confirm: {"euros":5}'],
  ])("F24 shows people a question of one text as that text: %j", (payload, message) => {
    const answerSchema = { type: "object", properties: { yes: { type: "boolean" } } };
    const question = { callId: "c1", toolName: "confirm", kind: "confirm", payload, answerSchema, seq: 1 };
    expect(formOf(question).message).toBe(message);
  });

  it("B7 takes at most 10,000 values as JSON in the text of an answer", () => {
    const answerSchema = { type: "array", items: { type: "object" } };
    const question = { callId: "c1", toolName: "pick", kind: "pick", payload: {}, answerSchema, seq: 1 };
    const form = formOf(question);
    const text = (values: number) => `[${"{},".repeat(values - 1)}{}]`;
    expect(form.valueOf({ answer: text(10_000) })).toHaveLength(10_000);
    expect(() => form.valueOf({ answer: text(10_001) })).toThrow("An answer may have at most 10000 values.");
  });

  it("F24 asks through our own client too: an agent that calls an agent", async () => {
    const paid: number[] = [];
    const served = serveAgent(paying, memoryStore(), paid);
    const server = connectTo(served, { token: () => "ada" });
    const one = world([server], calls("ask", { message: "Pay the bill." }));
    const { sessionId, pending } = await one.say("Go");
    expect(pending).toMatchObject([{ kind: "elicitation", payload: { message: /Approve/ } }]);
    await one.answer(sessionId, { action: "accept", content: { approved: true } });
    expect(await resultOf(one, sessionId)).toMatchObject({ success: true });
    expect(paid).toEqual([80]);
  });
});

it("F2 an agent with an output answers with its object as JSON", async () => {
  const paid = { paid: 5 };
  const script = [{ output: paid }, { tools: [{ name: "pay", input: { euros: 5 } }] }, { output: paid }];
  const served = serveAgent(script, memoryStore(), [], z.object({ paid: z.number() }));
  const client = await connect(served, "ada");
  const { content } = await ask(client, { message: "Pay." });
  expect(JSON.parse(content?.[0]?.text ?? "")).toEqual(paid);
  await client.close();
});
