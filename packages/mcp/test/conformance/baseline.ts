/** A version of the official kit, and the revision of the specification that it is asked to test. */
export interface Kit {
  /** The package, as `package.json` calls it. */
  name: string;
  /** The revision; `undefined` for the kit's own choice. */
  revision?: string;
  /** What each `npm test` runs: the usual way, and what was once broken. `PAWL_SOAK=1` runs all. */
  short: readonly string[];
  /** Scenarios that fail, and why. One that passes by now fails the test: remove it here. */
  failing: Readonly<Record<string, string>>;
}

const EXTENSION = "An extension of the protocol that is not offered: users sign in, and programs do not.";

export const KITS: readonly Kit[] = [
  {
    name: "conformance",
    short: ["auth/metadata-default"],
    failing: {
      "elicitation-sep1034-client-defaults":
        "Questions of older protocols are cancelled: they end with their connection, so nobody could answer them later.",
      "sse-retry":
        "It wants a stream resumed after half a second. Pawl waits for a second at least, whatever a server says.",
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
];
