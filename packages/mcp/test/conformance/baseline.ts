import { NEXT, STABLE } from "./server-baseline.ts";

/** A version of the official kit, and the revision of the specification that it is asked to test. */
export interface Kit {
  /** The package, as `package.json` calls it. */
  name: string;
  /** Its name and version, for people. */
  title: string;
  /** The revision; `undefined` for the kit's own choice. */
  revision?: string;
  /** Its scenarios for an agent that uses MCP servers. */
  client: Side;
  /** Its scenarios for an agent that is served. */
  server: Side;
}

/** What one side is to pass. */
export interface Side {
  /** What each `npm test` runs: the usual way, and what was once broken. `PAWL_SOAK=1` runs all. */
  short: readonly string[];
  /** Scenarios that fail, and why. One that passes by now fails the test: remove it here. */
  failing: Readonly<Record<string, string>>;
  /** The scenarios of extensions that Pawl has. Default: none. */
  extensions?: RegExp;
  /** How many passed when the kit was first run, on 2026-11-28. */
  before: string;
}

export const KITS: readonly Kit[] = [
  {
    name: "conformance",
    title: "`@modelcontextprotocol/conformance` 0.1.16",
    client: {
      before: "19 of 26, extensions included",
      short: ["auth/metadata-default"],
      failing: {
        "elicitation-sep1034-client-defaults":
          "Questions of older protocols are cancelled: they end with their connection, so nobody could answer them later.",
        "sse-retry":
          "It wants a stream resumed after half a second. Pawl waits for a second at least, whatever a server says.",
        "auth/2025-03-26-oauth-metadata-backcompat":
          "The kit's issuer is not where its metadata are (RFC 8414, 3.3), so the SDK refuses it. The newer kit has a right one.",
      },
    },
    server: { before: "3 of 32", short: ["tools-call-simple-text"], failing: STABLE },
  },
  {
    name: "conformance-next",
    title: "`@modelcontextprotocol/conformance` 0.2.0-alpha.12, at revision 2026-07-28",
    revision: "2026-07-28",
    client: {
      before: "17 of 48, extensions included",
      short: [
        "auth/pre-registration",
        "auth/scope-step-up",
        "auth/authorization-server-migration",
        "auth/iss-supported",
        "auth/iss-wrong-issuer",
      ],
      failing: {
        "http-custom-headers":
          "One of its calls has `null` for a boolean. The tool's own schema refuses that before it is sent.",
        "json-schema-2020-12-preservation":
          "The model gets a plainer schema, because models' APIs refuse combinators at the root. The kit looks for those in a call.",
      },
    },
    server: {
      before: "15 of 32 that were run",
      short: ["tasks-mrtr-input", "tasks-wire-fields", "input-required-result-tampered-state"],
      extensions: /^tasks-/,
      failing: NEXT,
    },
  },
];
