/**
 * As much as is used of what sends the requests of Node's `fetch`: undici's
 * {@link https://undici.nodejs.org/#/docs/api/Dispatcher | Dispatcher}, with the handlers that every version
 * of Node takes.
 */
export interface Dispatcher {
  dispatch(options: DispatchOptions, handler: DispatchHandler): boolean;
}

export interface DispatchOptions {
  origin: string;
  path: string;
  method: "POST";
  /** Name, value, name, value: they are written as they are. */
  headers: readonly string[];
  body: Uint8Array;
  /** Milliseconds; 0 for never. */
  headersTimeout: number;
  bodyTimeout: number;
}

export interface DispatchHandler {
  onConnect(abort: (reason?: Error) => void): void;
  onHeaders(status: number, rawHeaders: readonly (Buffer | string)[], resume: () => void): boolean;
  /** `false` holds the connection up until `resume` is called. */
  onData(chunk: Uint8Array): boolean;
  onComplete(): void;
  onError(error: Error): void;
}

/**
 * The dispatcher that Node's own `fetch` uses, with its connections and proxies, e.g. one set by
 * `NODE_USE_ENV_PROXY` or undici's `setGlobalDispatcher`. `undefined` outside of Node, and before anything of
 * `fetch` was used.
 */
export function globalDispatcher(): Dispatcher | undefined {
  if (globalThis.navigator?.userAgent?.startsWith("Node.js/") !== true) return undefined;
  const shared: { [at: symbol]: Dispatcher | undefined } = globalThis as never;
  return shared[Symbol.for("undici.globalDispatcher.1")];
}
