import { checkOptions, type OptionKinds, PawlError } from "@pawl/core";
import type { BreakerOptions } from "../base/breaker.ts";
import type { McpServerOptions } from "./options.ts";
import type { McpOAuthOptions } from "./sign-in-options.ts";

const OPTIONS: OptionKinds<McpServerOptions> = {
  name: "string!",
  url: { mustBe: "a URL", is: (value) => typeof value === "string" || value instanceof URL },
  command: "string",
  args: "list",
  env: "object",
  cwd: "string",
  headers: "object",
  token: "function",
  refresh: "function",
  oauth: "object",
  onUnauthorized: oneOf("fail", "ask"),
  tools: {
    mustBe: "a list or a function",
    is: (value) => Array.isArray(value) || typeof value === "function",
  },
  fingerprints: "object",
  trustAnnotations: "boolean",
  required: "boolean",
  timeoutMs: "number",
  connectTimeoutMs: "number",
  concurrency: "number",
  maxResponseBytes: "number",
  maxResultChars: "number",
  maxToolChars: "number",
  listTtlMs: "number",
  idleMs: "number",
  breaker: "object",
  protocol: oneOf("auto", "modern", "legacy"),
  tasks: "boolean",
  taskTimeoutMs: "number",
  maxQuestions: "number",
  stateKey: "string",
  fetch: "function",
  now: "function",
};

const OAUTH: OptionKinds<McpOAuthOptions> = {
  redirectUrl: { mustBe: "a URL", is: (value) => URL.canParse(String(value)) },
  store: "function!",
  clientName: "string",
  scope: "string",
  clientId: "string",
  clientSecret: "string",
  issuer: { mustBe: "a URL", is: (value) => typeof value === "string" && URL.canParse(value) },
  clientMetadataUrl: "string",
};

const BREAKER: OptionKinds<BreakerOptions> = { failures: "number", coolDownMs: "number" };

/** Hints for option names of other libraries. */
const INSTEAD = {
  transport: "Use `url` or `command`.",
  allow: "Use `tools`.",
  allowedTools: "Use `tools`.",
  authProvider: "Use `oauth`, or `token` and `refresh`.",
  timeout: "Use `timeoutMs`.",
  requestInit: "Use `headers` or `fetch`.",
};

/** The least value of each number. */
const LEAST: Readonly<Record<string, number>> = {
  timeoutMs: 1,
  connectTimeoutMs: 1,
  concurrency: 1,
  maxResponseBytes: 1,
  maxResultChars: 1,
  maxToolChars: 1,
  listTtlMs: 0,
  idleMs: 1,
  taskTimeoutMs: 1,
  maxQuestions: 0,
};

const NAME = /^(?!.*__)[a-zA-Z0-9](?:[a-zA-Z0-9_-]{0,30}[a-zA-Z0-9])?$/;

/** Checks the options of `mcpServer()`. @throws PawlError `config` */
export function checkServerOptions(given: McpServerOptions<never>): void {
  const called: unknown = Object(given).name;
  const whose = typeof called === "string" ? `mcpServer("${called}")` : "mcpServer()";
  checkOptions(whose, given, OPTIONS as OptionKinds<McpServerOptions<never>>, { instead: INSTEAD });
  const { name, url, command, breaker, stateKey, oauth } = given;
  if (breaker !== undefined) checkOptions(`\`breaker\` of ${whose}`, breaker, BREAKER);
  if (oauth !== undefined) checkOAuth(whose, given, oauth as McpOAuthOptions);
  if (!NAME.test(name))
    throw config(`"${name}" is not a valid name of a server: use 1 to 32 letters, digits, _ or -, no "__".`);
  if ((url === undefined) === (command === undefined))
    throw config(`${whose} needs either \`url\` or \`command\`.`);
  const foreign =
    url === undefined ? ["headers", "token", "refresh", "oauth", "fetch"] : ["args", "env", "cwd"];
  const wrong = foreign.find((option) => Object.hasOwn(given, option));
  if (wrong !== undefined)
    throw config(
      `\`${wrong}\` of ${whose} is not for a server with a \`${url === undefined ? "command" : "url"}\`.`,
    );
  if (url !== undefined && !URL.canParse(String(url)))
    throw config(`\`url\` of ${whose} is not a valid URL.`);
  if (stateKey !== undefined && stateKey.length < 32)
    throw config(`\`stateKey\` of ${whose} must have at least 32 characters.`);
  for (const [option, least] of Object.entries(LEAST)) {
    const value: unknown = Reflect.get(given, option);
    if (value !== undefined && !(Number(value) >= least))
      throw config(`\`${option}\` of ${whose} must be a number from ${least}, not ${value}.`);
  }
}

/** Checks the option `oauth`. `whose` names the server. */
function checkOAuth(whose: string, { token }: McpServerOptions<never>, oauth: McpOAuthOptions): void {
  checkOptions(`\`oauth\` of ${whose}`, oauth, OAUTH);
  const { redirectUrl, clientId, clientSecret, issuer } = oauth;
  if (redirectUrl === undefined || token !== undefined)
    throw config(`\`oauth\` of ${whose} needs \`redirectUrl\`, and cannot stand beside \`token\`.`);
  if (clientSecret !== undefined && clientId === undefined)
    throw config(`\`oauth\` of ${whose} needs the \`clientId\` that \`clientSecret\` belongs to.`);
  if (clientId !== undefined && issuer === undefined)
    throw config(
      `\`oauth\` of ${whose} needs \`issuer\` beside \`clientId\`: the authorization server at which the app was registered, e.g. "https://login.example.com". The MCP server could otherwise have \`clientSecret\` sent to any server.`,
    );
}

function oneOf(...values: readonly string[]) {
  return {
    mustBe: values.map((one) => `"${one}"`).join(" or "),
    is: (value: unknown) => values.includes(value as string),
  };
}

const config = (message: string): PawlError => new PawlError("config", message);
