import { checkOptions, type OptionKinds, PawlError } from "@pawl/core";
import { EXPOSE } from "../session/public-event.ts";
import { agentName, checkDialect, DIALECT } from "./check-dialect.ts";
import { checkExtra } from "./extra-fields.ts";
import type { HandlerOptions } from "./handler-options.ts";

const LIMITER = {
  mustBe: "a rate limiter with a method `consume`",
  is: (value: unknown) => typeof Object(value).consume === "function",
};

const OPTIONS: OptionKinds<HandlerOptions> = {
  runtime: {
    mustBe: "a runtime, made by runtime()",
    is: (value) => Object(value).agents instanceof Map && typeof Object(value).follow === "function",
    required: true,
  },
  agent: {
    mustBe: "an agent of the runtime, or its name",
    is: (value) => typeof (typeof value === "string" ? value : Object(value).name) === "string",
    required: true,
  },
  authorize: {
    mustBe: "a function that returns the user of a request",
    is: (value) => typeof value === "function",
    required: true,
  },
  admit: "function",
  onClientGone: {
    mustBe: '"continue" or "stop"',
    is: (value) => value === "continue" || value === "stop",
    isPublic: true,
  },
  basePath: "string",
  heartbeatMs: "number",
  reauthorizeMs: "number",
  maxBodyBytes: "number",
  maxHistoryBytes: "number",
  maxFileBytes: "number",
  maxInputLength: "number",
  rateLimit: LIMITER,
  rateLimitReads: LIMITER,
  maxStreams: "number",
  cors: "object",
  extra: "object",
  dialect: DIALECT,
  expose: EXPOSE,
  errorBody: "function",
  onError: "function",
  onWarning: "function",
};

/** Hints for option names of other libraries. */
const INSTEAD = {
  agents: "Use `agent`, one agent; make one handler for each.",
  auth: "Use `authorize`.",
  authenticate: "Use `authorize`.",
  getUser: "Use `authorize`.",
  path: "Use `basePath`.",
  prefix: "Use `basePath`.",
  userId: "Return it from `authorize`.",
  origins: "Use `cors: { origins }`.",
};

const COUNTS = [
  "heartbeatMs",
  "reauthorizeMs",
  "maxBodyBytes",
  "maxHistoryBytes",
  "maxFileBytes",
  "maxInputLength",
  "maxStreams",
] as const;

/** Checks the options of `handler()`. @throws PawlError `config` */
export function checkHandler<Name extends string>(options: HandlerOptions<Name>): void {
  checkOptions("handler()", options, OPTIONS, { instead: INSTEAD });
  const { dialect, runtime, agent, basePath = "" } = options;
  if (basePath !== "" && !basePath.startsWith("/")) {
    const path = basePath.replace(/^https?:\/\/[^/]*\/?/, "");
    const message = `\`basePath\` of handler() must begin with "/": basePath: "/${path}".`;
    throw new PawlError("config", message);
  }
  const above0 = { mustBe: "a number above 0", is: (value: unknown) => Number(value) > 0 };
  const counts = Object.fromEntries(COUNTS.map((name) => [name, options[name]]));
  checkOptions("handler()", counts, Object.fromEntries(COUNTS.map((name) => [name, above0])));
  checkDialect(dialect, runtime, agentName(runtime, agent));
  checkExtra(options.extra);
}
