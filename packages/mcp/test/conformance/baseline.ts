/** A version of the official kit, and the revision of the specification that it is asked to test. */
export interface Kit {
  /** The package, as `package.json` calls it. */
  name: string;
  /** The revision; `undefined` for the kit's own choice. */
  revision?: string;
  /** Scenarios that fail, and why. One that passes by now fails the test: remove it here. */
  failing: Readonly<Record<string, string>>;
}

const EXTENSION = "An extension that is not offered. The guide lists what sign-in does.";

export const KITS: readonly Kit[] = [
  {
    name: "conformance",
    failing: {
      "elicitation-sep1034-client-defaults":
        "Questions of older protocols are cancelled: they end with their connection, so nobody could answer them later.",
      "auth/2025-03-26-oauth-metadata-backcompat":
        "The kit's issuer is not where its metadata are (RFC 8414, 3.3), so the SDK refuses it. The newer kit has a right one.",
      "auth/client-credentials-jwt": EXTENSION,
      "auth/client-credentials-basic": EXTENSION,
      "auth/cross-app-access-complete-flow": EXTENSION,
    },
  },
  {
    name: "conformance-next",
    revision: "2026-07-28",
    failing: {
      "http-custom-headers":
        "One of its calls has `null` for a boolean. The tool's own schema refuses that before it is sent.",
      "json-schema-2020-12-preservation":
        "The model gets a plainer schema, because models' APIs refuse combinators at the root. The kit looks for those in a call.",
    },
  },
];

/** What each `npm test` runs: what was once broken, and the usual way. The soak runs all. */
export const SHORT: readonly string[] = [
  "tools_call",
  "auth/metadata-default",
  "auth/pre-registration",
  "auth/scope-from-www-authenticate",
  "auth/scope-step-up",
  "auth/scope-retry-limit",
  "auth/authorization-server-migration",
  "auth/iss-supported",
  "auth/iss-wrong-issuer",
];
