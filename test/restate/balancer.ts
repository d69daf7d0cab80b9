import { once } from "node:events";
import {
  type ClientHttp2Session,
  connect,
  constants,
  createServer,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from "node:http2";
import { pause } from "../support/pause.ts";

/** A load balancer for HTTP/2 with health checks, such as Restate needs in front of several workers. */
export interface Balancer {
  readonly url: string;
  close(): Promise<void>;
}

/** How often a worker is asked whether it lives, and how long it may take to answer, in milliseconds. */
const CHECK_MS = 100;
const ANSWER_MS = 1_500;

/** Starts a balancer that gives each request to the next worker of those that live. */
export async function balancer(urls: readonly string[]): Promise<Balancer> {
  const live = new Map<string, ClientHttp2Session>();
  const closing = new AbortController();
  let turn = 0;
  const server = createServer();
  server.on("session", (session) => closing.signal.addEventListener("abort", () => session.destroy()));
  server.on("stream", (stream, headers) => {
    stream.on("error", () => undefined);
    turn += 1;
    const worker = [...live.values()][turn % Math.max(1, live.size)];
    if (worker === undefined) refuse(stream);
    else pass(stream, headers, worker);
  });
  const checks = urls.map(async (url) => {
    while (!closing.signal.aborted) {
      if (!live.has(url)) {
        const session = await open(url);
        // The kernel accepts connections for a process that is frozen.
        if (session !== undefined && (await answers(session))) {
          live.set(url, session);
          session.once("close", () => live.delete(url));
        } else session?.destroy();
      }
      const session = live.get(url);
      if (session !== undefined && !(await answers(session))) session.destroy();
      await pause(CHECK_MS, "a balancer checks its workers at intervals");
    }
    live.get(url)?.destroy();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`,
    close: async () => {
      closing.abort();
      server.close();
      await Promise.all(checks);
    },
  };
}

async function open(url: string): Promise<ClientHttp2Session | undefined> {
  const session = connect(url);
  session.on("error", () => undefined);
  const settled = Promise.withResolvers<boolean>();
  session.once("connect", () => settled.resolve(true));
  session.once("close", () => settled.resolve(false));
  return (await settled.promise) ? session : undefined;
}

async function answers(session: ClientHttp2Session): Promise<boolean> {
  if (session.destroyed || session.closed) return false;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  if (!session.ping((error) => resolve(error === null))) return false;
  return await Promise.race([
    promise,
    pause(ANSWER_MS, "the time that a worker may take to answer").then(() => false),
  ]);
}

function refuse(stream: ServerHttp2Stream): void {
  stream.respond({ ":status": 503 });
  stream.end();
}

/** Passes a request on, and the response back. If either side ends early, so does the other one. */
function pass(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, worker: ClientHttp2Session): void {
  if (worker.destroyed || worker.closed) {
    refuse(stream);
    return;
  }
  const request = worker.request(headers, { endStream: false });
  stream.pipe(request);
  request.once("response", ({ ":status": status, ...rest }) => {
    if (stream.destroyed) return;
    stream.respond({ ":status": status ?? 502, ...rest });
    request.pipe(stream);
  });
  request.on("error", () => undefined);
  request.once("close", () => {
    if (!request.readableEnded) stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  });
  stream.once("close", () => request.close(constants.NGHTTP2_CANCEL));
}
