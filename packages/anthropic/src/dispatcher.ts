/**
 * The used part of what sends the requests of Node's `fetch`: undici's
 * {@link https://undici.nodejs.org/#/docs/api/Dispatcher | Dispatcher}, with the handlers that every version
 * of Node accepts.
 */
export interface Dispatcher {
  dispatch(options: DispatchOptions, handler: DispatchHandler): boolean;
}

export interface DispatchOptions {
  origin: string;
  path: string;
  method: "POST";
  /** Names and values in turn, written as they are. */
  headers: readonly string[];
  body: Uint8Array;
  /** Milliseconds; 0 for never. */
  headersTimeout: number;
  bodyTimeout: number;
}

export interface DispatchHandler {
  onConnect(abort: (reason?: Error) => void): void;
  onHeaders(status: number, rawHeaders: readonly (Buffer | string)[], resume: () => void): boolean;
  /** `false` pauses the connection until `resume` is called. */
  onData(chunk: Uint8Array): boolean;
  onComplete(): void;
  onError(error: Error): void;
}

/**
 * Returns the dispatcher that Node's own `fetch` uses, with its connections and proxies, e.g. one set by
 * `NODE_USE_ENV_PROXY` or undici's `setGlobalDispatcher`. `undefined` outside of Node, and before the
 * first use of `fetch`.
 */
export function globalDispatcher(): Dispatcher | undefined {
  if (globalThis.navigator?.userAgent?.startsWith("Node.js/") !== true) return undefined;
  const shared: { [at: symbol]: Dispatcher | undefined } = globalThis as never;
  return shared[Symbol.for("undici.globalDispatcher.1")];
}
