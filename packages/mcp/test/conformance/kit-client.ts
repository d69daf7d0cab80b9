import { agent, type JsonObject, type ModelRequest, memoryStore, type Question, runtime } from "@pawl/core";
import { McpFailure, type McpOAuthOptions, type McpSignInStore, mcpServer, mcpTools } from "@pawl/mcp";
import { type Reply, scriptedModel } from "@pawl/testing";

// The client that the conformance kit starts for each scenario: an agent that calls every tool of the kit's
// server once. It plays the user, too, who agrees to everything.

const { MCP_CONFORMANCE_SCENARIO: scenario = "", MCP_CONFORMANCE_PROTOCOL_VERSION: version } = process.env;
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? "{}") as Record<string, unknown>;
const url = process.argv.at(-1) ?? "";

const MOST_QUESTIONS = 6;

/** Input of each type. */
const SAMPLES: Readonly<Record<string, unknown>> = { string: "text", number: 5, integer: 5, boolean: true };

const user = { userId: "ada" };
const oauth = scenario.startsWith("auth/") ? { oauth: await oauthOf() } : {};
const protocol = version === "2026-07-28" ? "modern" : "legacy";
const server = mcpServer({ name: "kit", url, protocol, trustAnnotations: true, ...oauth });
const tools = mcpTools({ servers: [server] });

await signedIn();
const names = (await server.listTools(user)).map(({ name }) => name);
const wanted = (context.toolCalls ?? names.map((name) => ({ name }))) as Wanted[];
const model = scriptedModel((request, n) => reply(request, wanted[n]));
const tester = agent({ name: "tester", instructions: "You test.", model, tools });
const pawl = runtime({ agents: [tester], store: memoryStore() });
let result = await pawl.run(tester, { ...user, input: "Call everything." }).result;
for (let n = 0; result.pending.length > 0 && n < MOST_QUESTIONS; n += 1) {
  const answers = [];
  for (const question of result.pending)
    answers.push({ callId: question.callId, value: await answerTo(question) });
  result = await pawl.run(tester, { ...user, sessionId: result.sessionId, answers: answers as never }).result;
}
for (const { tool, success, result: said } of result.actions)
  if (success === false) console.error(tool, said);
await tools.close();

/** How the app of this client signs its users in, as its developer has set it up. */
async function oauthOf(): Promise<McpOAuthOptions> {
  const kept = new Map<string, string>();
  const store: McpSignInStore = {
    load: async (key) => kept.get(key),
    save: async (key, text) => void (text === undefined ? kept.delete(key) : kept.set(key, text)),
  };
  const { client_id: clientId, client_secret: clientSecret } = context as {
    [name: string]: string | undefined;
  };
  const registered =
    clientId !== undefined && clientSecret !== undefined
      ? { clientId, clientSecret, issuer: (context.issuer as string | undefined) ?? (await issuer()) }
      : { clientMetadataUrl: "https://conformance-test.local/client-metadata.json" };
  return { redirectUrl: "http://localhost:3000/callback", store: () => store, ...registered };
}

/** The developer looks up where the app was registered. */
async function issuer(): Promise<string> {
  const { origin, pathname } = new URL(url);
  const response = await fetch(`${origin}/.well-known/oauth-protected-resource${pathname}`);
  return ((await response.json()) as { authorization_servers: [string] }).authorization_servers[0];
}

/** Signs the user in if the server does not list its tools otherwise. */
async function signedIn(): Promise<void> {
  for (let n = 0; n < MOST_QUESTIONS; n += 1)
    try {
      return void (await server.listTools(user));
    } catch (error) {
      if (!(error instanceof McpFailure) || error.code !== "mcp_unauthorized") throw error;
      await visit(await server.signInUrl(user));
    }
}

/** The user's browser: the kit's pages send it back at once. */
async function visit(page: string): Promise<void> {
  const { headers } = await fetch(page, { redirect: "manual" });
  await server.finishSignIn(new URL(headers.get("location") ?? "").searchParams, user);
}

async function answerTo({ kind, payload }: Question): Promise<unknown> {
  if (kind === "elicitation") return { action: "accept", content: {} };
  await visit((payload as { url: string }).url);
  return true;
}

/** A call that the kit wants. */
interface Wanted {
  name: string;
  arguments?: JsonObject;
}

/** One call after the other: the ones that the kit wants, or each tool with input that fits its schema. */
function reply({ tools: offered = [] }: ModelRequest, call: Wanted | undefined): Reply {
  if (call === undefined) return { text: "Done." };
  const tool = offered.find(({ name }) => name === `mcp__kit__${call.name}`);
  const schema = (tool as { input_schema?: JsonObject } | undefined)?.input_schema ?? {};
  return { tools: [{ name: `mcp__kit__${call.name}`, input: call.arguments ?? inputFor(schema) }] };
}

function inputFor({ properties = {} }: JsonObject): JsonObject {
  const known = Object.entries(properties as Record<string, { type?: string }>);
  return Object.fromEntries(known.map(([name, { type = "string" }]) => [name, SAMPLES[type] ?? {}])) as never;
}
