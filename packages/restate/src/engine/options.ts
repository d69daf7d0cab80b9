import { checkOptions, type OptionKinds, PawlError } from "@pawl/core";

/** Options of `restateEngine()`. */
export interface RestateEngineOptions {
  /** The URL of Restate's ingress, e.g. `http://localhost:8080`. Wakes are sent to it. */
  ingress: string;
  /**
   * The port on which `work()` serves Restate's requests, over HTTP/2 without TLS. 0 takes a free one, which
   * needs `uri` if there is an `admin`. Default: none, and you serve `engine.services` yourself.
   */
  port?: number | undefined;
  /**
   * The address on which `work()` listens, e.g. `0.0.0.0` in a container. Anyone who can reach it can have
   * sessions run, unless there are `identityKeys`. Default: `127.0.0.1`.
   */
  host?: string | undefined;
  /**
   * Public keys of Restate, e.g. `publickeyv1_…`. Requests that are not signed with one of them are refused.
   * Only with `port`; an endpoint of your own has the SDK's option. Default: all requests are served.
   */
  identityKeys?: readonly string[] | undefined;
  /**
   * The URL of Restate's admin API, e.g. `http://localhost:9070`. `work()` registers `uri` there. Default:
   * you register the workers yourself, e.g. by `restate deployments register`.
   */
  admin?: string | undefined;
  /**
   * The URL at which Restate reaches the workers, e.g. that of their load balancer. It should not change: a
   * call in flight stays with the URL at which it began. Only with `admin`.
   * Default: that of `port` on this machine.
   */
  uri?: string | undefined;
  /** A key of Restate Cloud, sent to `ingress` and `admin` as a bearer token. Default: none. */
  authToken?: string | undefined;
  /**
   * The first part of the names of the engine's services in Restate: a letter, then letters, digits or `_`.
   * Processes with the same name share their sessions. Default: `pawl`.
   */
  name?: string | undefined;
  /** Makes the requests to `ingress` and `admin`. Default: the global `fetch`. */
  fetch?: typeof fetch | undefined;
  /**
   * Called with the errors of Restate's SDK. Only with `port`; an endpoint of your own has the SDK's
   * `logger`. Default: logs them with `console.error`.
   */
  onError?(error: unknown): void;
}

const isUrl = (value: unknown) => {
  const url = typeof value === "string" ? URL.parse(value) : null;
  return url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "";
};
const A_URL = { mustBe: "an http or https URL without a user name", is: isUrl };

const OPTIONS: OptionKinds<RestateEngineOptions> = {
  ingress: { ...A_URL, required: true },
  port: {
    mustBe: "an integer from 0 to 65535",
    is: (port) => Number.isInteger(port) && Number(port) >= 0 && Number(port) <= 65_535,
  },
  host: "string",
  identityKeys: {
    // The SDK serves everybody if the list is empty, e.g. because a variable of the environment is missing.
    mustBe: "a list of at least one key",
    is: (keys) => Array.isArray(keys) && keys.length > 0 && keys.every((key) => typeof key === "string"),
  },
  admin: A_URL,
  uri: A_URL,
  authToken: "string",
  name: {
    mustBe: "a letter, then letters, digits or _",
    is: (name) => typeof name === "string" && /^[a-zA-Z][a-zA-Z0-9_]*$/.test(name),
  },
  fetch: "function",
  onError: "function",
};

/**
 * Checks the options of `restateEngine()`.
 *
 * @throws PawlError `config`
 */
export function checkEngine(options: RestateEngineOptions): void {
  checkOptions("restateEngine()", options, OPTIONS);
  const { admin, uri, port, host, identityKeys } = options;
  if (admin !== undefined && uri === undefined && port === undefined) {
    throw new PawlError(
      "config",
      "`admin` of restateEngine() needs `uri` or `port`, to register the workers.",
    );
  }
  if (admin !== undefined && uri === undefined && port === 0) {
    throw new PawlError(
      "config",
      "restateEngine() with `admin` needs the same URL each time it starts: give `port` a number other than 0, or set `uri`. A call of Restate stays with the URL at which it began, so sessions at work would wait for a port that is gone.",
    );
  }
  if (uri !== undefined && admin === undefined) {
    throw new PawlError("config", "`uri` of restateEngine() needs `admin`, where it is to be registered.");
  }
  const empty = identityKeys?.indexOf("") ?? -1;
  if (empty >= 0) {
    throw new PawlError(
      "config",
      `\`identityKeys\` of restateEngine(): key ${empty + 1} is empty. Give it the public key of your Restate environment, e.g. publickeyv1_…; is its environment variable set?`,
    );
  }
  for (const [name, value] of Object.entries({ host, identityKeys })) {
    if (value === undefined || port !== undefined) continue;
    throw new PawlError("config", `\`${name}\` of restateEngine() needs \`port\`, which it is for.`);
  }
}
