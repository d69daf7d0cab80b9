/**
 * The part of undici's {@link https://undici.nodejs.org/#/docs/api/Dispatcher | Dispatcher} that is used
 * here, with the handlers that every version of Node accepts. Node's `fetch` sends its requests through a
 * dispatcher.
 */
export interface Dispatcher {
  dispatch(options: DispatchOptions, handler: DispatchHandler): boolean;
}

export interface DispatchOptions {
  origin: string;
  path: string;
  method: "POST";
  /** Names and values in alternation. They are sent unchanged. */
  headers: readonly string[];
  body: Uint8Array;
  /** The timeout in milliseconds; 0 for none. */
  headersTimeout: number;
  bodyTimeout: number;
}

export interface DispatchHandler {
  onConnect(abort: (reason?: Error) => void): void;
  onHeaders(status: number, rawHeaders: readonly (Buffer | string)[], resume: () => void): boolean;
  /** Receives a chunk of the body. Return `false` to pause the connection until `resume` is called. */
  onData(chunk: Uint8Array): boolean;
  onComplete(): void;
  onError(error: Error): void;
}

/**
 * Returns the dispatcher of Node's own `fetch`, with its connections and proxies, e.g. one set by
 * `NODE_USE_ENV_PROXY` or undici's `setGlobalDispatcher`. Returns `undefined` outside Node, and before the
 * first use of `fetch`.
 */
export function globalDispatcher(): Dispatcher | undefined {
  if (globalThis.navigator?.userAgent?.startsWith("Node.js/") !== true) return undefined;
  const shared: { [at: symbol]: Dispatcher | undefined } = globalThis as never;
  return shared[Symbol.for("undici.globalDispatcher.1")];
}
